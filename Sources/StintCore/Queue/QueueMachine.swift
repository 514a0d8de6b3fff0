/// Decides which requests of a machine's queue begin now, and why each of the others waits (Q3,
/// Q6, Q7).
///
/// A value without effects. Its driver reads the requests from the store, tells what the machine
/// offers, and begins what is due; how each of them stands is a ``RequestStanding``.
package struct QueueMachine: Sendable {
  /// A request as it was read, and what else is known of it.
  package struct Entry: Hashable, Sendable {
    package var request: QueuedRequest
    /// Whether somebody holds its lock.
    package var isLocked = false
    /// Whether somebody wants it to be stopped.
    package var isStopAsked = false
    /// Why it is not to begin until somebody resumes it; nil if it may.
    package var pause: Pause?
    /// Whether it is to begin whatever it waits for (Q8).
    package var isForced = false
    /// A wait that is not written down, after a begin that failed here.
    package var retry: RequestStanding.Retry?
    /// What it has to wait for is finished, or is not.
    package var dependency = Dependency.none
    /// A variable that it needs and that is not set where it would be started.
    package var missingVariable: String?
    /// What an application's program has asked for itself.
    package var tasks: [TaskRequest] = []
    /// How often in a row the program ended before the task of an identifier was completed.
    package var deaths: [String: ScheduleRecord.Death] = [:]
    /// What its program has asked for and will not come to, by identifier.
    package var setAside: [String: ScheduleRecord.SetAside] = [:]
    /// Whether a process of its program runs, which begins these tasks itself.
    package var isProgramRunning = false
    /// Which of them is simulated; empty for any.
    package var forced: String?

    package init(_ request: QueuedRequest) { self.request = request }

    /// Takes over what is kept for its program.
    package mutating func take(_ record: ScheduleRecord, _ policy: SystemPolicy) {
      tasks = record.requests.filter { $0.setAside == nil }.map(\.request)
      if let next = record.plan.next(policy) {
        tasks.append(
          TaskRequest(ScheduleMachine.fetchName, kind: .fetch, earliestBegin: next))
      }
      deaths = record.deaths
      for kept in record.requests { setAside[kept.request.identifier] = kept.setAside }
    }

    package var id: String { request.id }
    var standing: RequestStanding { request.standing }

    /// Whether a process that ran it is gone without having said how it ended.
    package var hasVanished: Bool { standing.state == .running && !isLocked }
  }

  /// Why a request is not to begin until somebody resumes it.
  package struct Pause: Hashable, Sendable {
    /// What was said when it was held, such as that a folder is missing; empty for a pause.
    package var reason: String

    package init(reason: String = "") { self.reason = reason }
  }

  /// How what a request waits for stands.
  package enum Dependency: Hashable, Sendable {
    /// It waits for nothing.
    case none
    case finished
    case unfinished
    /// It will never be finished by itself.
    case failed
  }

  /// Why a request does not begin now (Q7).
  package enum Wait: Hashable, Sendable {
    case otherMachine(String)
    case runs
    case stopAsked
    case paused(Pause)
    case earliest(left: Duration)
    case retry(left: Duration, why: String?)
    case dependency(String, hasFailed: Bool)
    case variable(String)
    case condition(ScheduleMachine.Wait)
    /// A program runs and begins its own requests.
    case programRuns
    /// A program that has asked for nothing.
    case noTask
    /// So many others run, and there is no place for it.
    case places(Int)

    /// How long it lasts if nothing else happens; nil if time alone changes nothing.
    var left: Duration? {
      switch self {
      case .earliest(let left), .retry(let left, _): left
      case .otherMachine, .runs, .programRuns, .stopAsked, .paused, .dependency, .variable,
        .condition, .noTask,
        .places:
        nil
      }
    }

    /// The wait as a clause.
    package var clause: String {
      switch self {
      case .otherMachine(let name): "it belongs to another machine (\(name.prefix(12)))"
      case .runs: "a process works on it"
      case .stopAsked: "somebody stops it"
      case .paused(let pause):
        pause.reason.isEmpty ? "it is paused" : "it is held: \(pause.reason)"
      case .earliest(let left): "its time comes in \(left.compactText)"
      case .retry(let left, let why?):
        "\(why.prefix(1).lowercased() + why.dropFirst().drop(suffix: "."))"
          + "; it may begin again in \(left.compactText)"
      case .retry(let left, nil): "it may begin again in \(left.compactText)"
      case .dependency(let job, hasFailed: false): "\(job) is not finished"
      case .dependency(let job, hasFailed: true):
        "\(job) was to be finished before, and has ended otherwise"
      case .variable(let name): "$\(name) is not set where the queue is served"
      case .condition(let wait): wait.clauseOfConditions
      case .programRuns: "its program runs, and begins its requests itself"
      case .noTask: "its program has asked for nothing"
      case .places(1): "another one runs"
      case .places(let count): "\(count) others run"
      }
    }
  }

  /// The machine that this is.
  package let machine: String
  /// How many run at once.
  package let places: Int
  /// What the machine offers.
  package var conditions = MachineConditions()
  /// The requests, by their identifiers.
  package var entries: [String: Entry] = [:]
  /// What this process runs.
  package var running: Set<String> = []

  package init(machine: String, places: Int) {
    (self.machine, self.places) = (machine, max(1, places))
  }

  /// Whether something waits for what the machine offers.
  package var needsConditions: Bool {
    candidates.contains { entry in
      entry.request.terms.machine == machine
        && (entry.request.terms.needs.hasConditions || entry.tasks.contains(where: \.hasConditions))
    }
  }

  /// The requests that wait and that this process does not run.
  private var candidates: some Sequence<Entry> {
    entries.values.lazy.filter { $0.standing.state == .waiting && !running.contains($0.id) }
  }

  /// What follows from a look at all requests.
  package struct NextSteps: Hashable, Sendable {
    /// The requests that begin now.
    package var due: [String] = []
    /// Whether a request is due that finds no place.
    package var isCrowded = false
    /// How long it is until something is due because time has passed; nil if only an event can make
    /// it so.
    package var next: Duration?
  }

  /// Which requests begin now, in order: by priority, then the one that was submitted first.
  ///
  /// A repetition counts as submitted when its time came, so that one that is always due leaves
  /// room for others.
  package func outlook(now: WallInstant) -> NextSteps {
    var steps = NextSteps()
    var due: [Entry] = []
    for entry in candidates {
      guard let wait = wait(of: entry, now: now) else {
        due.append(entry)
        continue
      }
      if let left = wait.left { steps.next = min(steps.next ?? left, left) }
    }
    let free = max(0, places - running.count)
    guard free > 0 else {
      steps.isCrowded = !due.isEmpty
      return steps
    }
    due.sort {
      let (one, other) = ($0.request, $1.request)
      if one.terms.priority != other.terms.priority {
        return one.terms.priority > other.terms.priority
      }
      return (one.turn, one.number, one.id) < (other.turn, other.number, other.id)
    }
    steps.due = due.prefix(free).map(\.id)
    return steps
  }

  /// Why a request does not begin now, other than for want of a place; nil if it does.
  package func wait(of entry: Entry, now: WallInstant) -> Wait? {
    let terms = entry.request.terms
    if terms.machine != machine { return .otherMachine(terms.machine) }
    if entry.isLocked { return .runs }
    if entry.isProgramRunning { return .programRuns }
    if entry.isStopAsked { return .stopAsked }
    if let pause = entry.pause { return .paused(pause) }
    if let name = entry.missingVariable { return .variable(name) }
    if let left = entry.retry?.left(now) {
      return .retry(left: left, why: "It could not be begun here.")
    }
    if entry.isForced { return nil }
    if let retry = entry.standing.retry, let left = retry.left(now) {
      return .retry(left: left, why: entry.standing.why)
    }
    if let earliest = entry.standing.next ?? terms.earliestBegin, now < earliest {
      // What was begun is gone on with, whatever the clock was set to meanwhile.
      if entry.standing.runs == 0 { return .earliest(left: now.duration(to: earliest)) }
    }
    switch entry.dependency {
    case .none, .finished: break
    case .unfinished: return .dependency(terms.afterJob ?? "", hasFailed: false)
    case .failed: return .dependency(terms.afterJob ?? "", hasFailed: true)
    }
    guard terms.work == .application else { return condition(terms.needs) }
    return waitOfTasks(entry, now: now)
  }

  /// An application is due when one of its program's own requests is.
  private func waitOfTasks(_ entry: Entry, now: WallInstant) -> Wait? {
    var soonest: Wait?
    for task in entry.tasks {
      guard let wait = wait(of: task, in: entry, now: now) else { return nil }
      guard let known = soonest else {
        soonest = wait
        continue
      }
      if let left = wait.left, left < known.left ?? .nanoseconds(Int64.max) { soonest = wait }
    }
    return soonest ?? .noTask
  }

  private func wait(of task: TaskRequest, in entry: Entry, now: WallInstant) -> Wait? {
    if let earliest = task.earliestBegin, now < earliest {
      return .earliest(left: now.duration(to: earliest))
    }
    if let death = entry.deaths[task.identifier], let left = death.left(now) {
      return .retry(left: left, why: "The program ended before \"\(task.identifier)\" was done.")
    }
    return condition(task)
  }

  /// The tasks for which the program of an application is launched now: the one that is
  /// simulated, else all that are due.
  package func dueTasks(of entry: Entry, now: WallInstant) -> [TaskRequest] {
    if let forced = entry.forced {
      let task = entry.tasks.first { forced.isEmpty || $0.identifier == forced }
      if let task { return [task] }
      return forced == ScheduleMachine.fetchName ? [TaskRequest(forced, kind: .fetch)] : []
    }
    return entry.tasks.filter { wait(of: $0, in: entry, now: now) == nil }
  }

  private func condition(_ task: TaskRequest) -> Wait? {
    ScheduleMachine.missing(task, in: conditions).map { .condition($0) }
  }

  /// How a request stands, in one sentence (Q7).
  ///
  /// - Parameters:
  ///   - entry: The request.
  ///   - isServed: Whether somebody serves the queue.
  ///   - now: The time.
  /// - Returns: A full sentence.
  package func sentence(of entry: Entry, isServed: Bool, now: WallInstant) -> String {
    let standing = entry.standing
    switch standing.state {
    case .done: return standing.why ?? "It is done."
    case .setAside: return "It is set aside: \(standing.why ?? "it came to nothing.")"
    case .stopped: return standing.why ?? "It was stopped."
    case .running where entry.isLocked:
      let since = standing.began.map { " since \($0.duration(to: now).compactText)" } ?? ""
      return "It runs\(since)."
    case .running where entry.request.terms.machine != machine:
      return "It has begun on another machine (\(entry.request.terms.machine.prefix(12)))."
    case .running:
      return "The process that ran it is gone; it goes on when the queue is served."
    case .waiting:
      if let wait = wait(of: entry, now: now) {
        return "It waits: \(wait.clause)." + Self.setAside(entry)
      }
      guard isServed else {
        return "It waits: nobody serves the queue; stint wake or stint serve begins it."
      }
      // Whoever serves the queue would begin it if there were a place.
      let others = entries.values.count { $0.isLocked && $0.id != entry.id }
      return others > 0 ? "It waits: \(Wait.places(others).clause)." : "It begins now."
    }
  }

  /// What a program has asked for and will not come to, as sentences.
  private static func setAside(_ entry: Entry) -> String {
    entry.setAside.sorted { $0.key < $1.key }.map { identifier, why in
      switch why {
      case .died: " \"\(identifier)\" is set aside: \(ScheduleMachine.manyDeaths)."
      case .noHandler: " \"\(identifier)\" is set aside: its program has no handler for it."
      }
    }.joined()
  }
}

extension QueuedRequest {
  /// When it was submitted, or was to be repeated.
  fileprivate var turn: WallInstant {
    standing.repetitions > 0 ? standing.next ?? terms.submitted : terms.submitted
  }
}

extension Substring {
  fileprivate func drop(suffix: String) -> Substring {
    hasSuffix(suffix) ? dropLast(suffix.count) : self
  }
}
