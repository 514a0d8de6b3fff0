import StintCore
import StintRuntime

/// What is written down of a chain, in its job's directory: the file `chain.json`.
struct ChainRecord: Hashable, Sendable {
  static let fileName = "chain.json"
  private static let formatVersion = 1

  enum State: String, Hashable, Sendable, CaseIterable {
    /// Being handed to the engine; whether that happened is not known.
    case submitting
    /// In the engine's hands.
    case active
    case ended
  }

  enum FollowerState: String, Hashable, Sendable, CaseIterable {
    case waiting
    /// Being submitted; whether that happened is not known.
    case submitting
    case submitted
  }

  /// The command line, beginning with its verb.
  var words: [String]
  var directory: String
  var links: Int
  /// Further words for `sbatch`.
  var options: [String]
  /// Which submission of the chain this is, from 1; links of an earlier one do nothing.
  var submission = 1
  var state = State.submitting
  var ending: ChainMachine.Ending?
  /// Why it ended, as a sentence.
  var why: String?
  /// The number of the array in the engine.
  var array: String?
  /// Words for an `sbatch` when the work is finished.
  var follower: [String] = []
  var followerState = FollowerState.waiting
  /// Whether another chain follows when the links are used up.
  var isEndless = false
  /// The link that began last, from 1; 0 before the first one.
  var link = 0
  /// Whether that one has not said how it ended.
  var isLinkOpen = false
  /// How much of the work was durable when it began.
  var durablePoints: UInt64 = 0
  /// How many slices in a row have died or were hindered without a new durable point.
  var deaths = 0

  var contents: [UInt8] {
    var json = JSONLine()
    json.add("formatVersion", Self.formatVersion)
    json.add("submission", submission)
    json.add("state", state.rawValue)
    json.add("ending", ending?.rawValue)
    json.add("why", why)
    json.add("array", array)
    json.add("links", links)
    json.add("words", words)
    json.add("directory", directory)
    json.add("options", options)
    json.add("follower", follower)
    json.add("followerState", follower.isEmpty ? nil : followerState.rawValue)
    json.add("isEndless", isTrue: isEndless)
    json.add("link", link)
    json.add("isLinkOpen", isTrue: isLinkOpen)
    json.add("durablePoints", durablePoints)
    json.add("deaths", deaths)
    return Array(json.line.utf8)
  }
}

extension ChainRecord {
  /// Reads the file.
  init(contents: [UInt8]) throws(JSONFault) {
    let object = try JSONObject(contents)
    let version: Int = try object.integer("formatVersion")
    guard version == Self.formatVersion else { throw JSONFault("format \(version) is not known") }
    submission = try object.integer("submission")
    state = try object.choice("state")
    ending = try object.optionalChoice("ending")
    why = try object.optionalText("why")
    array = try object.optionalText("array")
    links = try object.integer("links")
    words = try object.optionalTexts("words") ?? []
    directory = try object.text("directory")
    options = try object.optionalTexts("options") ?? []
    follower = try object.optionalTexts("follower") ?? []
    followerState = try object.optionalChoice("followerState") ?? .waiting
    isEndless = object["isEndless"]?.truth ?? false
    link = try object.integer("link")
    isLinkOpen = object["isLinkOpen"]?.truth ?? false
    durablePoints = try object.optionalInteger("durablePoints") ?? 0
    deaths = try object.integer("deaths")
    if let array, !array.allSatisfy({ $0.isASCII && $0.isNumber }) {
      throw JSONFault("\"array\" is not the number of a job")
    }
    guard links > 0, link >= 0, submission > 0, !words.isEmpty else {
      throw JSONFault("a number is out of range")
    }
  }
}
