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

  /// The work; of an array of chains, its own command line.
  var launch: LaunchRecord
  var links: Int
  /// Further words for the engine's command, or its terms for the chain.
  var options: [String]
  /// The name of the engine that has it.
  var engine = EngineJob.slurm
  /// Which submission of the chain this is, from 1; links of an earlier one do nothing.
  var submission = 1
  var state = State.submitting
  var ending: ChainMachine.Ending?
  /// Why it ended, as a sentence.
  var why: String?
  /// The number of the array in the engine.
  var array: String?
  /// What is submitted when it has ended.
  var followers = ChainFollowers()
  /// Lines of a shell that the script runs before the work.
  var setup: String?
  /// The exit status of a slice that saved unfinished work and is followed by another.
  var sliceExitCode = ExitStatus.finished
  /// The array of chains to which it belongs.
  var chains: String?
  /// Its place among the lines of that array, from 1.
  var place: Int?
  /// How the chains of an array stand; nil for a chain.
  ///
  /// The rest of the record is then what all of them have in common.
  var members: ChainArrayMachine?
  /// The places of chains of an array that ended unfinished.
  var unfinished: [Int] = []
  /// Whether another chain follows when the links are used up.
  var isEndless = false
  /// The link that began last, from 1; 0 before the first one.
  var link = 0
  /// Whether that one has not said how it ended.
  var isLinkOpen = false
  /// The engine's name for the slice that began last, such as `120_4`.
  var linkJob: String?
  /// How much of the work was durable when it began.
  var durablePoints: UInt64 = 0
  /// How many slices in a row have died or were hindered without a new durable point.
  var deaths = 0

  /// How many tasks its array has: the slices, and one that judges the last of them if it is
  /// killed.
  var tasks: Int { links + 1 }

  /// Whether it ended because the engine did not take it.
  var isUntaken: Bool { state == .ended && array == nil && link == 0 && ending == .failed }

  /// What tells it, or a part of it, from other chains.
  func parameters(_ shard: Shard? = nil) -> JobParameters {
    var values = ["command": launch.text, "directory": launch.directory]
    values["chains"] = chains
    let uncut = JobParameters(values)
    return shard?.parameters(uncut, of: key()) ?? uncut
  }

  func key(_ shard: Shard? = nil) -> String {
    JobKey(kind: ChainJob.kind, parameters: parameters(shard), outputPath: nil).description
  }

  var contents: [UInt8] {
    var json = JSONLine()
    json.add("formatVersion", Self.formatVersion)
    json.add("engine", engine == EngineJob.slurm ? nil : engine)
    json.add("submission", submission)
    json.add("state", state.rawValue)
    json.add("ending", ending?.rawValue)
    json.add("why", why)
    json.add("array", array)
    json.add("links", links)
    launch.add(to: &json)
    json.add("options", options)
    followers.add(to: &json)
    json.add("setup", setup)
    json.add("sliceExitCode", sliceExitCode)
    json.add("chains", chains)
    json.add("place", place)
    if let members {
      json.add("lines", members.count)
      json.add("atOnce", members.atOnce)
      json.add("handedOver", members.handedOver)
      json.add("activePlaces", members.active.map(String.init))
      json.add("unfinishedPlaces", unfinished.map(String.init))
      json.add("isStopped", isTrue: members.isStopped)
      var ends = JSONLine()
      for ending in ChainMachine.Ending.allCases {
        ends.add(ending.rawValue, members.ends[ending])
      }
      json.add("ends", object: ends)
    }
    json.add("isEndless", isTrue: isEndless)
    json.add("link", link)
    json.add("isLinkOpen", isTrue: isLinkOpen)
    json.add("linkJob", linkJob)
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
    // Before there was this member, Slurm had all chains.
    engine = try object.optionalText("engine") ?? EngineJob.slurm
    guard EngineTable.names.contains(engine) else {
      throw JSONFault("the engine \"\(engine.prefix(40))\" is not known")
    }
    submission = try object.integer("submission")
    state = try object.choice("state")
    ending = try object.optionalChoice("ending")
    why = try object.optionalText("why")
    array = try object.optionalText("array")
    links = try object.integer("links")
    launch = try LaunchRecord(object)
    options = try object.optionalTexts("options") ?? []
    followers = try ChainFollowers(object)
    setup = try object.optionalText("setup")
    // Before there was this member, a slice ended as its work did.
    sliceExitCode = try object.optionalInteger("sliceExitCode") ?? ExitStatus.unfinished
    chains = try object.optionalText("chains")
    place = try object.optionalInteger("place")
    members = try Self.members(object)
    unfinished = try Self.places("unfinishedPlaces", object)
    isEndless = object["isEndless"]?.truth ?? false
    link = try object.integer("link")
    isLinkOpen = object["isLinkOpen"]?.truth ?? false
    linkJob = try object.optionalText("linkJob")
    durablePoints = try object.optionalInteger("durablePoints") ?? 0
    deaths = try object.integer("deaths")
    if let array, !array.allSatisfy({ $0.isASCII && $0.isNumber }) {
      throw JSONFault("\"array\" is not the number of a job")
    }
    guard links > 0, link >= 0, submission > 0, !launch.words.isEmpty,
      (0...125).contains(sliceExitCode),
      chains.map(JobKey.isKey) ?? true
    else {
      throw JSONFault("a number is out of range")
    }
  }

  private static func members(_ object: JSONObject) throws(JSONFault) -> ChainArrayMachine? {
    guard let count: Int = try object.optionalInteger("lines") else { return nil }
    let handedOver: Int = try object.integer("handedOver")
    let atOnce: Int = try object.integer("atOnce")
    let active = try places("activePlaces", object)
    var ends: [ChainMachine.Ending: Int] = [:]
    for member in object["ends"]?.object?.members ?? [] {
      guard let ending = ChainMachine.Ending(rawValue: member.name),
        let number: Int = member.value.integer(), number >= 0
      else { throw JSONFault("\"ends\" has a member that is no count") }
      ends[ending] = number
    }
    guard (0...count).contains(handedOver), atOnce > 0,
      active.allSatisfy({ (1...max(1, handedOver)).contains($0) }),
      ends.values.reduce(active.count, { $0.addingReportingOverflow($1).partialValue })
        == handedOver
    else { throw JSONFault("the counts of the lines do not belong together") }
    return ChainArrayMachine(
      count: count, atOnce: atOnce, handedOver: handedOver, active: active, ends: ends,
      isStopped: object["isStopped"]?.truth ?? false)
  }

  private static func places(_ name: String, _ object: JSONObject) throws(JSONFault) -> [Int] {
    let texts = try object.optionalTexts(name) ?? []
    let places = texts.compactMap { Int($0) }
    guard places.count == texts.count else { throw JSONFault("\"\(name)\" has no numbers") }
    return places
  }
}
