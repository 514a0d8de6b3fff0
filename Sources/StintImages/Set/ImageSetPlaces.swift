#if Images
import StintCore

/// The inputs of a set: places in its ledger, as runs of numbers that follow each other: `0-7,9`.
struct ImageSetPlaces: Hashable, Sendable {
  var places: [ClosedRange<Int>]
  /// How many inputs the whole set has, if this is a part of one.
  var wholeCount: Int?
  /// Which of those these are, from 1.
  var numbers: [ClosedRange<Int>]?
  /// Which formats of theirs the user trusts.
  var trusted: Set<UntrustedFormat>
  /// What is done about damaged files.
  var damaged: DamagePolicy
  /// What failed before anything was made of it.
  var refused: [ImageSetPlan.Refused]

  init(
    _ places: [Int], of cut: ImageSetPlan.Cut?, trusted: Set<UntrustedFormat> = [],
    damaged: DamagePolicy = .refuse, refused: [ImageSetPlan.Refused] = []
  ) {
    (self.trusted, self.damaged, self.refused) = (trusted, damaged, refused)
    self.places = Self.runs(places)
    wholeCount = cut?.count
    numbers = cut.map { Self.runs($0.numbers) }
  }

  init?(_ object: JSONObject) throws(JSONFault) {
    guard let places = Self.runs(try object.text("places")),
      let trusted = UntrustedFormat.set(stored: try object.optionalText("trust")),
      let damaged = try? DamagePolicy(word: try object.optionalText("damaged"))
    else { return nil }
    (self.places, self.trusted, self.damaged) = (places, trusted, damaged)
    refused = try object.objects("refused").map { object throws(JSONFault) in
      ImageSetPlan.Refused(
        name: try object.text("name"), path: try object.optionalText("path").map { FilePath($0) },
        error: try StintError(object))
    }
    guard object["numbers"] != nil else { return }
    guard let numbers = Self.runs(try object.text("numbers")) else { return nil }
    self.numbers = numbers
    wholeCount = try object.integer("wholeCount")
  }

  private static func runs(_ numbers: [Int]) -> [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = runs.last, number == last.upperBound + 1 {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs
  }

  private static func runs(_ text: String) -> [ClosedRange<Int>]? {
    var runs: [ClosedRange<Int>] = []
    for part in text.split(separator: ",") {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first >= 0, first <= last
      else { return nil }
      runs.append(first...last)
    }
    return runs
  }

  static func text(_ runs: [ClosedRange<Int>]) -> String {
    runs.map {
      $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }.joined(separator: ",")
  }

  /// The places, each below a limit and at most so many; nil if they are not.
  func numbers(below limit: Int) -> [Int]? {
    Self.numbers(places, upTo: limit - 1, atMost: limit)
  }

  /// The numbers of runs, none above the last and at most so many; nil if they are not.
  static func numbers(_ runs: [ClosedRange<Int>], upTo last: Int, atMost count: Int) -> [Int]? {
    var rest = count
    for run in runs {
      // One less than there are: a number can hold that, whatever the ledger says.
      let further = run.upperBound - run.lowerBound
      guard run.upperBound <= last, further < rest else { return nil }
      rest -= further + 1
    }
    return runs.flatMap { Array($0) }
  }
}
#endif
