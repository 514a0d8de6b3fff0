import StintCore
import StintRuntime

/// An array of chains as the verbs see it.
struct ChainArrayView: Sendable {
  /// One chain that is active or ended unfinished.
  struct Member: Sendable {
    /// The number of its line in the file.
    let number: Int
    let key: String
    let what: String
    let chain: ChainView?
    let isActive: Bool
    /// How it stands in the engine's queue; nil if nobody asked or the engine cannot say.
    var standing: EngineStanding?
    /// The engine's queue in sentences.
    let queue: String

    /// For programs: `running`, `queued`, `held`, `neverBegins`, `gone`; `active` where the
    /// engine does not say which; `notSubmitted`; or the ending of the chain.
    var state: String {
      if chain?.isRunning ?? false { return "running" }
      guard isActive, chain?.record.state != .ended else {
        return chain?.record.ending?.rawValue ?? "notSubmitted"
      }
      guard let standing else { return "active" }
      if standing.isHeld { return "held" }
      if standing.canNeverBegin { return "neverBegins" }
      return standing.isQueued ? "queued" : "gone"
    }

    /// The same for people, with why it waits.
    var text: String {
      switch state {
      case "held": "held" + (standing?.comment.map { ": \($0)" } ?? "")
      case "neverBegins": "can never begin"
      case "gone": "not in \(queue)"
      case "notSubmitted": "not submitted"
      case "queued": "queued" + (standing?.reason.map { $0 == "None" ? "" : " (\($0))" } ?? "")
      case let other: other
      }
    }
  }

  let key: String
  let path: String
  let record: ChainRecord
  let isStopped: Bool
  /// The active ones, then those that ended unfinished.
  private(set) var members: [Member] = []
  let engine: any Engine

  /// The most chains that a page shows of each sort.
  static let shown = 40

  /// The array of a key; nil if it is none.
  init?(_ key: String, in context: VerbContext, most: Int) {
    let catalog = context.catalog
    guard let record = catalog.arrayOfChains(key), let machine = record.members else { return nil }
    (self.key, self.record) = (key, record)
    engine = context.engines.engine(of: record)
    path = catalog.path(of: key)
    isStopped = catalog.summary(of: key).markers.contains(.stop)
    // The lines may be many; counts need none of them.
    guard most > 0, let lines = try? ChainArray.lines(in: path, of: key) else { return }
    let places = machine.active.prefix(most) + record.unfinished.prefix(most)
    members = places.compactMap { place in
      guard lines.lines.indices.contains(place - 1),
        let chain = try? lines.chain(at: place, of: record, in: key)
      else { return nil }
      let own = chain.key()
      return Member(
        number: lines.lines[place - 1].number, key: own, what: chain.launch.text,
        chain: ChainView(of: own, in: context), isActive: machine.active.contains(place),
        queue: engine.titleOfQueue)
    }
  }

  /// The same, with how the active chains stand in the engine's queue.
  func asking() -> ChainArrayView {
    guard !active.isEmpty,
      case .success(let all) = engine.standings(within: EnginePatience.ofPerson)
    else { return self }
    var view = self
    for index in members.indices where members[index].isActive {
      let array = members[index].chain?.record.array
      view.members[index].standing = array.flatMap { all[$0] } ?? EngineStanding()
    }
    return view
  }

  /// Whether the engine has none of the active chains any more, so that nothing goes on by itself.
  var isLost: Bool {
    record.state != .ended && !isStopped && !active.isEmpty
      && !active.contains { $0.state == "running" || $0.standing?.isQueued ?? true }
  }

  var active: [Member] { members.filter(\.isActive) }
  var unfinished: [Member] { members.filter { !$0.isActive } }

  var stateText: String {
    if record.state == .ended { return "ended: \(record.why ?? "nobody knows why")" }
    if isStopped { return "stopped" }
    if isLost { return "\(engine.title) has none of its chains; submit the file again to go on" }
    if active.isEmpty {
      return
        "no chain is in \(engine.title)'s hands; the slice that ended last hands over the next ones, and if "
        + "that stays so, submit the file again"
    }
    return "active, \(record.members?.atOnce ?? 0) at a time"
  }

  /// The page for people.
  var text: String {
    var lines = FactLines(key)
    lines.add("what", "submit " + record.launch.words.joined(separator: " "))
    lines.add("state", stateText)
    lines.add("chains", record.sums)
    lines.add("directory", path)
    var page = lines.text
    if !active.isEmpty {
      var table = TextTable([
        ("LINE", .right), ("STATE", .left), ("SLICES", .right), ("CHAIN", .left), ("WHAT", .left),
      ])
      for member in active {
        table.add([
          String(member.number), member.text, "\(member.chain?.record.link ?? 0)", member.key,
          member.what,
        ])
      }
      page += "\n" + table.render(indent: 2)
    }
    let all = record.unfinished.count
    if all > 0 {
      page +=
        "\n  Ended unfinished\(all > Self.shown ? ", the first \(Self.shown) of \(all)" : ""):\n"
      for member in unfinished {
        page +=
          "  line \(member.number): \(member.chain?.record.why ?? member.text) (\(member.key))\n"
      }
    }
    return page
  }

  /// The array as the verbs show it to programs.
  var json: JSONLine {
    var json = JSONLine()
    json.add("array", key)
    json.add("state", record.state.rawValue)
    json.add("ending", record.ending?.rawValue)
    json.add("why", record.why)
    json.add("stopped", isTrue: isStopped)
    json.add("chains", record.members?.count)
    json.add("atOnce", record.members?.atOnce)
    json.add("finished", record.members?.ends[.finished] ?? 0)
    json.add("active", record.members?.active.count)
    json.add("unfinished", record.unfinished.count)
    json.add("notBegun", record.members.map { $0.count - $0.handedOver })
    json.add(
      "members",
      objects: members.map { member in
        var json = JSONLine()
        json.add("line", member.number)
        json.add("state", member.state)
        json.add("what", member.what)
        json.add("chain", object: member.chain?.json(standing: member.standing))
        return json
      })
    return json
  }
}

extension ChainRecord {
  /// The counts of an array of chains in a clause.
  var sums: String {
    guard let members else { return "" }
    let left = members.count - members.handedOver
    return "\(members.ends[.finished] ?? 0) of \(members.count) chains finished, "
      + "\(members.active.count) active, \(unfinished.count) ended unfinished, \(left) not begun"
  }
}
