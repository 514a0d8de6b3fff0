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
    guard let head = lines.first.flatMap(SealedLine.object), head["event"]?.text == "set" else {
      return nil
    }
    var items = [LedgerItem](repeating: LedgerItem(), count: count)
    for line in lines.dropFirst() {
      guard let object = SealedLine.object(line), let index: Int = object["place"]?.integer(),
        items.indices.contains(index), (try? items[index].take(object)) == true
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
}

/// What a ledger says of an input.
private struct LedgerItem {
  var path = ""
  var identity: [JSONValue?] = []
  var frames: Int?
  var made: Set<Int> = []
  var failure: String?

  /// Takes a line in; false if it is none.
  mutating func take(_ line: JSONObject) throws(JSONFault) -> Bool {
    switch try line.text("event") {
    case "input":
      let now = Self.identity(line)
      // Another file begins anew; what was made of the same one stays.
      if now != identity { (frames, made) = (nil, []) }
      (path, identity, failure) = (try line.text("path"), now, nil)
    case "same":
      identity = Self.identity(line)
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
