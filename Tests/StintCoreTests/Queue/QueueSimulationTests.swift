import StintCore
import Testing

/// A machine with a queue in virtual time: requests with scripts, servers that come and go, clocks
/// that are set, people who stop, pause and resume.
private struct SimulatedQueue {
  /// What a run of the work does.
  private struct Run {
    var id: String
    /// When it ends by itself, on a clock that nobody sets.
    var ends: Int64
    var end: RequestStanding.End
    var server: Int
  }

  private struct Work {
    /// How its runs end; after the last one it is finished by the next.
    var ends: [RequestStanding.End]
    var seconds: Int64
    var begins = 0
    var lastBegin: Int64?
    var mustFinish = true
  }

  private var random: SplitMix64
  private var servers: [QueueMachine]
  private var requests: [String: QueuedRequest] = [:]
  private var works: [String: Work] = [:]
  private var runs: [Run] = []
  private var paused: Set<String> = []
  private var conditions = MachineConditions()
  private var clock: Int64 = 0
  private var offset: Int64 = 1_000_000_000_000_000_000
  private var number = 0
  private(set) var faults: [String] = []
  private(set) var begins = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    servers = [
      QueueMachine(machine: "here", places: 1), QueueMachine(machine: "here", places: 3),
    ]
  }

  private var wall: WallInstant { WallInstant(nanoseconds: offset &+ clock) }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  private mutating func anyRequest() -> String? {
    requests.isEmpty ? nil : "\(1 + pick(requests.count))"
  }

  private static let second: Int64 = 1_000_000_000

  /// A week of life; then everything is resumed and must end.
  mutating func live() {
    for _ in 0..<150 {
      disturb()
      let step = [Self.second / 3, 5 * Self.second, 90 * Self.second, 1_800 * Self.second][pick(4)]
      advance(by: step)
    }
    conditions = MachineConditions()
    for id in requests.keys.sorted() {
      paused.remove(id)
      // A repetition would never end.
      requests[id]?.terms.every = nil
    }
    advance(by: 60 * 86_400 * Self.second)
    for id in requests.keys.sorted() {
      guard let request = requests[id], let work = works[id] else { continue }
      if request.terms.machine != "here" {
        if work.begins > 0 { faults.append("\(id) of another machine began") }
      } else if work.mustFinish, request.standing.state != .done {
        faults.append("\(id) is not done: \(request.standing)")
      } else if !request.standing.isOver {
        faults.append("\(id) is not over: \(request.standing)")
      }
    }
  }

  private mutating func disturb() {
    switch pick(12) {
    case 0...2 where number < 16: submit()
    case 3:
      // Somebody sets the clock.
      offset = offset &+ (Int64(pick(20_001)) - 10_000) * Self.second
      // That may bring two begins together.
      for id in works.keys { works[id]?.lastBegin = nil }
    case 4: conditions.hasNetwork.toggle()
    case 5:
      if let id = anyRequest() {
        if paused.remove(id) == nil { paused.insert(id) }
      }
    case 6:
      if let id = anyRequest(),
        !runs.contains(where: { $0.id == id })
      {
        let now = wall
        requests[id]?.standing.stopAsked(now: now)
        requests[id]?.standing.resumed()
        works[id]?.lastBegin = nil
      }
    case 7:
      // The machine goes down: nobody says how a run ended.
      runs = []
      for index in servers.indices { servers[index].running = [] }
    case 8:
      // A run is killed.
      if !runs.isEmpty {
        let run = runs.remove(at: pick(runs.count))
        servers[run.server].running.remove(run.id)
      }
    case _: break
    }
  }

  private mutating func submit() {
    number += 1
    var terms = RequestTerms(
      launch: LaunchRecord(words: ["/bin/true"], directory: "/"), submitted: wall,
      machine: pick(9) == 0 ? "there" : "here")
    if pick(3) == 0 { terms.earliestBegin = wall.advanced(by: .seconds(pick(20_000) - 1_000)) }
    if pick(4) == 0 { terms.every = .seconds(1 + pick(7_200)) }
    if pick(4) == 0 { terms.needs.requirements = [.network] }
    if pick(5) == 0, number > 1 { terms.afterJob = "\(1 + pick(number - 1))" }
    terms.priority = pick(3) - 1
    var work = Work(ends: [], seconds: [1, 0, 60, 1_200][pick(4)])
    for _ in 0..<pick(8) {
      switch pick(7) {
      case 0...2: work.ends.append(.unfinished)
      case 3: work.ends.append(.interrupted)
      case 4: work.ends.append(.vanished)
      case 5 where work.ends.count { $0 == .crashed(signal: 6) } < 2:
        work.ends.append(.crashed(signal: 6))
      case _ where pick(6) == 0:
        work.ends.append(.failed(status: 65, isCertain: true))
        work.mustFinish = false
      case _: break
      }
    }
    if terms.afterJob.flatMap({ works[$0]?.mustFinish }) == false
      || terms.afterJob.flatMap({ requests[$0]?.terms.machine }) == "there"
    {
      // It may wait for ever.
      terms.afterJob = nil
    }
    requests["\(number)"] = QueuedRequest(id: "\(number)", terms: terms)
    works["\(number)"] = work
  }

  // MARK: Servers

  private mutating func advance(by span: Int64) {
    let end = clock + span
    while true {
      serve()
      var next = end
      for run in runs { next = min(next, max(run.ends, clock)) }
      for server in servers {
        if let left = server.outlook(now: wall).next {
          next = min(next, clock + max(1, left.nanoseconds))
        }
      }
      guard next < end || runs.contains(where: { $0.ends <= end }) else { break }
      clock = next
      endRuns()
    }
    clock = end
    serve()
  }

  private mutating func endRuns() {
    for run in runs where run.ends <= clock {
      servers[run.server].running.remove(run.id)
      if run.end == .vanished { continue }
      guard let terms = requests[run.id]?.terms else { continue }
      let now = wall
      requests[run.id]?.standing.workEnded(run.end, terms, now: now)
    }
    runs.removeAll { $0.ends <= clock }
  }

  private mutating func serve() {
    for index in servers.indices {
      servers[index].conditions = conditions
      for id in requests.keys.sorted() { read(id, by: index) }
      let due = servers[index].outlook(now: wall).due
      if due.count + servers[index].running.count > servers[index].places {
        faults.append("more than \(servers[index].places) at once")
      }
      for id in due { begin(id, by: index) }
    }
  }

  private mutating func read(_ id: String, by server: Int) {
    guard var request = requests[id] else { return }
    let isLocked = runs.contains { $0.id == id }
    if request.standing.state == .running, !isLocked, request.terms.machine == "here" {
      request.standing.workEnded(.vanished, request.terms, now: wall)
      requests[id] = request
    }
    var entry = QueueMachine.Entry(request)
    entry.isLocked = isLocked
    if paused.contains(id) { entry.pause = .init() }
    if let job = request.terms.afterJob {
      let standing = requests[job]?.standing
      entry.dependency =
        standing?.state == .done || standing?.repetitions ?? 0 > 0
        ? .finished : standing?.isOver == true ? .failed : .unfinished
    }
    servers[server].entries[id] = entry
  }

  private mutating func begin(_ id: String, by server: Int) {
    guard var request = requests[id], var work = works[id] else { return }
    begins += 1
    if runs.contains(where: { $0.id == id }) { faults.append("\(id) began in two places") }
    if request.standing.state != .waiting { faults.append("\(id) began: \(request.standing)") }
    if paused.contains(id) { faults.append("\(id) began while it was paused") }
    let earliest = request.standing.next ?? request.terms.earliestBegin
    if request.standing.runs == 0, let earliest, wall < earliest {
      faults.append("\(id) began before its time")
    }
    if let last = work.lastBegin, clock - last < Self.second {
      faults.append("\(id) began twice within \(clock - last) ns")
    }
    if request.terms.needs.requirements.contains(where: { !conditions.meet($0) }) {
      faults.append("\(id) began without \(request.terms.needs.requirements)")
    }
    request.standing.workBegan(now: wall)
    requests[id] = request
    let end = work.ends.isEmpty ? .finished : work.ends.removeFirst()
    work.begins += 1
    work.lastBegin = clock
    works[id] = work
    servers[server].running.insert(id)
    runs.append(Run(id: id, ends: clock + work.seconds * Self.second, end: end, server: server))
  }
}

@Suite("A queue in virtual time")
struct QueueSimulationTests {
  @Test(
    "Q3 Q6 whatever servers, clocks and people do, nothing begins too early, twice or too often, and all ends"
  )
  func lives() {
    var begins = 0
    for seed: UInt64 in 0..<12 {
      var queue = SimulatedQueue(seed: seed)
      queue.live()
      #expect(queue.faults == [], "seed \(seed)")
      begins += queue.begins
    }
    #expect(begins > 1_000)
  }
}
