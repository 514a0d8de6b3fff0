import StintCore
import StintRuntime

/// Which lines are those of a batch that does a part of its file, as its last process read them.
///
/// It is the file `shard.json` in the batch's directory.
struct BatchShare: Hashable, Sendable {
  /// What the lines are known by, in the order of the file.
  var keys: [String]
  /// How many lines the file has.
  var count: Int

  init(_ jobs: [BatchJob], of count: Int) {
    keys = jobs.map(\.key)
    self.count = count
  }

  var contents: [UInt8] {
    var json = JSONLine()
    json.add("wholeCount", count)
    json.add("keys", keys)
    return Array(json.line.utf8)
  }

  init(contents: [UInt8]) throws(JSONFault) {
    let object = try JSONObject(contents)
    count = try object.integer("wholeCount")
    keys = try object.optionalTexts("keys") ?? []
    guard count >= keys.count else { throw JSONFault("\"wholeCount\" is too small") }
  }
}
