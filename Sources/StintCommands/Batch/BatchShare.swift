import StintCore
import StintRuntime

/// Which lines are those of a batch that does a part of its file, as earlier versions of Stint
/// wrote it down in the file `shard.json` of the batch's directory.
///
/// By now ``BatchBegin`` says how many they are, and the log which of its lines are gone.
struct BatchShare: Hashable, Sendable {
  /// What the lines are known by, in the order of the file.
  var keys: [String]
  /// How many lines the file has.
  var count: Int

  init(contents: [UInt8]) throws(JSONFault) {
    let object = try JSONObject(contents)
    count = try object.integer("wholeCount")
    keys = try object.optionalTexts("keys") ?? []
    guard count >= keys.count else { throw JSONFault("\"wholeCount\" is too small") }
  }
}
