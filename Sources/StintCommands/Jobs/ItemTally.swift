import StintCore
import StintRuntime

/// How the items of one job stand: the lines of a batch, or the inputs of a set of images.
struct ItemTally: Hashable, Sendable {
  /// An item that ended without success.
  struct Failure: Hashable, Sendable {
    /// Its number in the whole list, from 1.
    var number: Int
    var name: String
    var why: String?

    /// Both; most sentences name their item themselves.
    var text: String {
      guard let why else { return name }
      return why.holds(name) ? why : "\(name) (\(why))"
    }
  }

  /// How many items the whole list has, of which the job does a part.
  var wholeCount: Int
  /// How many are the job's.
  var count: Int
  var done = 0
  var failures: [Failure] = []

  var left: Int { count - done - failures.count }
}

extension ItemTally {
  /// Reads the ledger of a set of images (`docs/formats/image-files.md`); nil if there is none.
  ///
  /// The library of images knows more of these lines, and this program does not load it.
  init?(imagesOf record: JobRecord, at path: String) {
    guard record.shard != nil else { return nil }
    var items: [LedgerItem] = []
    var list: (places: [Int], whole: Int, numbers: [Int])?
    for line in JobFileContents.lines(of: path + "/partial/set") {
      guard let object = SealedLine.object(line) else { break }
      switch object["event"]?.text {
      case "set": continue
      case "list":
        guard let whole: Int = object["wholeCount"]?.integer() else { return nil }
        list = (
          Self.numbers(object["places"]?.text, below: items.count), whole,
          Self.numbers(object["numbers"]?.text, below: whole + 1)
        )
      case _:
        guard let place: Int = object["place"]?.integer(), (0...items.count).contains(place) else {
          return nil
        }
        if place == items.count { items.append(LedgerItem()) }
        guard (try? items[place].take(object)) == true else { return nil }
      }
    }
    guard let list, list.places.count == list.numbers.count else { return nil }
    self.init(wholeCount: list.whole, count: list.places.count)
    for (place, number) in zip(list.places, list.numbers) {
      let item = items[place]
      if let why = item.failure {
        failures.append(Failure(number: number, name: item.path, why: why))
      } else if item.frames == item.made.count {
        done += 1
      }
    }
  }

  /// Reads runs of numbers such as `0-7,9`, each below a limit; what is damaged has none.
  private static func numbers(_ text: String?, below limit: Int) -> [Int] {
    var numbers: [Int] = []
    for run in (text ?? "").split(separator: ",") {
      let ends = run.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, 0 <= first, first <= last, last < limit,
        numbers.count + last - first < limit
      else { return [] }
      numbers += first...last
    }
    return numbers
  }
}

/// What a ledger says of an input.
private struct LedgerItem {
  var path = ""
  var identity: [JSONValue?] = []
  var frames: Int?
  var made: Set<Int> = []
  /// The same of the file before, which counts again if the bytes are the same.
  var former: (frames: Int?, made: Set<Int>) = (nil, [])
  var failure: String?

  /// Takes a line in; false if it is none.
  mutating func take(_ line: JSONObject) throws(JSONFault) -> Bool {
    switch try line.text("event") {
    case "input":
      let now = Self.identity(line)
      // Another file begins anew; what was made of the same one stays.
      if now != identity {
        if !made.isEmpty { former = (frames, made) }
        (frames, made) = (nil, [])
      }
      (path, identity, failure) = (try line.text("path"), now, nil)
    case "same":
      identity = Self.identity(line)
      if made.isEmpty { (frames, made) = former }
    case "done":
      made.insert(try line.integer("frame"))
      frames = try line.integer("frames")
    case "failed":
      failure = try line.text("message")
    case _: return false
    }
    return true
  }

  private static func identity(_ line: JSONObject) -> [JSONValue?] {
    ["device", "inode", "sizeBytes", "modifiedNanoseconds", "changedNanoseconds"].map { line[$0] }
  }
}
