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
  /// The parameter of a part of a set of images that says how many inputs the whole set has.
  static let wholeCount = "wholeCount"

  /// Reads the ledger of a set of images (`docs/formats/image-files.md`); nil if there is none.
  ///
  /// The library of images knows more of these lines, and this program does not load it.
  init?(imagesOf record: JobRecord, at path: String) {
    guard let shard = record.shard,
      let wholeCount = record.parameters[Self.wholeCount].flatMap({ Int($0) }),
      let count = record.parameters["count"].flatMap({ Int($0) })
    else { return nil }
    let lines = JobFileContents.lines(of: path + "/partial/set")
    guard lines.first.flatMap(Self.words)?.first == "stint-image-set" else { return nil }
    var items = [LedgerItem](repeating: LedgerItem(), count: count)
    for line in lines.dropFirst() {
      guard let words = Self.words(line), words.count > 2, let index = Int(words[1]),
        items.indices.contains(index), items[index].take(words)
      else { break }
    }
    self.init(wholeCount: wholeCount, count: count)
    for (index, item) in items.enumerated() {
      if let why = item.failure {
        let number = index * shard.count + shard.number
        failures.append(Failure(number: number, name: item.path, why: why))
      } else if item.frames == item.made.count {
        done += 1
      }
    }
  }

  /// The words of a line without its checksum; nil if it is torn.
  private static func words(_ line: ArraySlice<UInt8>) -> [String]? {
    guard let tab = line.lastIndex(of: UInt8(ascii: "\t")) else { return nil }
    let body = Array(line[..<tab])
    guard XXH3Checksum.digest(body).description.utf8.elementsEqual(line[(tab + 1)...]) else {
      return nil
    }
    return String(decoding: body, as: UTF8.self).split(
      separator: "\t", omittingEmptySubsequences: false
    ).map(String.init)
  }
}

/// What a ledger says of an input.
private struct LedgerItem {
  /// Where the words of a line are.
  private enum Place {
    static let identity = 2...6
    static let path = 10
    static let frame = 2
    static let frames = 3
    static let sentence = 4
  }

  var path = ""
  var identity: [String] = []
  var frames: Int?
  var made: Set<Int> = []
  var failure: String?

  /// Takes a line in; false if it is none.
  mutating func take(_ words: [String]) -> Bool {
    switch words[0] {
    case "input" where words.count > Place.path:
      let now = Array(words[Place.identity])
      // Another file begins anew; what was made of the same one stays.
      if now != identity { (frames, made) = (nil, []) }
      (path, identity, failure) = (words[Place.path], now, nil)
    case "same" where words.count > Place.identity.upperBound:
      identity = Array(words[Place.identity])
    case "done" where words.count > Place.frames:
      guard let frame = Int(words[Place.frame]) else { return false }
      made.insert(frame)
      frames = Int(words[Place.frames])
    case "failed" where words.count > Place.sentence:
      failure = words[Place.sentence]
    case _: return false
    }
    return true
  }
}
