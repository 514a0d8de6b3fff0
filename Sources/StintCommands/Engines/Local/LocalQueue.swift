import Glibc
import StintCore
import StintRuntime

/// The queue of this machine as an engine: an array is one request, whose runs are the slices of a
/// chain (Q6).
struct LocalQueue: Sendable {
  let environment: [String: String]
  let store: QueueStore

  init(environment: [String: String], jobsPath: String) {
    self.environment = environment
    store = QueueStore(jobsPath: jobsPath)
  }

  private var run: QueueSlice? { QueueSlice { environment[$0] } }

  /// The end of the run of a request that this process is; nil outside of any.
  static func allocation(in environment: [String: String]) -> EngineAllocation? {
    QueueSlice { environment[$0] }.map { .settled(RequestBudget(end: $0.end)) }
  }

  /// A refusal that another try would meet again.
  private static let permanent = EINVAL

  private func failure(_ error: StintError) -> EngineFailure {
    EngineFailure(why: "the request cannot be read: \(error.message)")
  }
}

/// The end of a run of a request, which was settled when it began.
private struct RequestBudget: BudgetSource {
  let name = BudgetName.local
  let reason = ExpiryReason.engineEndTime
  let end: Instant?

  func end(ofTripSince start: Instant) -> BudgetEnd { end.map { .at($0) } ?? .never }
}

extension LocalQueue: Engine {
  var name: String { EngineJob.local }
  var title: String { "the local queue" }
  var titleOfQueue: String { title }
  var reachesOtherMachines: Bool { false }

  func title(ofArray number: String) -> String { "request \(number) of the local queue" }
  func title(ofJob number: String) -> String { title(ofArray: number) }

  func adviceOnCancelling(_ arrays: [String]) -> String {
    "stint stop \(arrays.joined(separator: ", stint stop ")) tries it again"
  }

  var slice: EngineSlice? {
    run.map {
      EngineSlice(array: $0.request, task: $0.run, job: $0.job.job, node: $0.job.node)
    }
  }

  var variablesOfSlice: [String: String] { QueueSlice.variables(request: "1", run: 1) }

  var allocation: EngineAllocation? { Self.allocation(in: environment) }

  func check(links: Int) throws(StintError) {}

  func findings(jobsPath: String, nodes: Int?, stopGrace: Duration) -> [Finding] {
    guard let ids = try? store.ids(), !ids.isEmpty else { return [] }
    let open = ids.count { !(((try? store.read($0)) ?? nil)?.standing.isOver ?? true) }
    let text = ReportText.count(open, "request") + " to be run"
    if open == 0 || store.isServed { return [Finding("queue", .ok, text)] }
    return [
      Finding(
        "queue", .warning, "\(text), and nobody serves the queue",
        advice: "stint serve does so while it runs, stint wake once, as from a line for cron")
    ]
  }

  // MARK: Submission

  func script(of chain: ChainHandOver) -> String? {
    chain.record.setup == nil ? nil : LocalScript(chain).text
  }

  func dryRun(of chain: ChainHandOver) -> String {
    let script = script(of: chain).map { "# \(chain.path)/\(ChainJob.script)\n\($0)\n" } ?? ""
    return script + "# each run of a request in \(store.path)\n"
      + words(of: chain).map(ShellWord.quoted).joined(separator: " ") + "\n"
      + (chain.record.options.isEmpty
        ? "" : "# \(chain.record.options.map(ShellWord.quoted).joined(separator: " "))\n")
  }

  func log(of array: String?, in chain: String) -> String {
    array.map { "\(store.path(of: $0))/\(QueueStore.output)" } ?? "\(chain)/\(ChainJob.log)"
  }

  private func words(of chain: ChainHandOver) -> [String] {
    chain.record.setup == nil ? chain.link : LocalScript(chain).command
  }

  func submit(_ chain: ChainHandOver) throws(StintError) -> String {
    var launch = chain.record.launch
    // The folder of the work is the link's business, which says what is wrong with it.
    (launch.words, launch.directory) = (words(of: chain), chain.path)
    do {
      var terms = try RequestOptions.terms(of: launch, chain.record.options)
      terms.work = .chain(chain.key)
      terms.slices = chain.record.tasks
      return try store.submit(terms).id
    } catch {
      let error = StintError(wrapping: error, while: "submitting")
      throw StintError(
        .unavailable, "The request was not written down: \(error.message)",
        errno: error.code == .usage ? Self.permanent : 0)
    }
  }

  /// How long the submission of what follows may take.
  private static let submissionMayTake = Duration.seconds(60)

  func submit(
    follower words: [String], from folder: String, markedAs mark: String
  ) throws(StintError) -> String {
    let program = HelperProgram.ownPath() ?? "stint"
    var call = ProgramCall(
      [
        "/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder, program, "submit",
        "--json", "--engine", name, "--jobs-dir", store.jobsPath,
      ] + words, within: Self.submissionMayTake)
    call.variables = [RequestOptions.originVariable: mark]
    call.withheld = [
      QueueSlice.requestVariable, QueueSlice.runVariable, QueueSlice.endVariable,
    ]
    switch call.run() {
    case .ended(ExitStatus.finished, let output, _):
      // It was taken, whatever it says: another try would submit it twice.
      let said = try? JSONObject(output)
      return said?["request"]?.text ?? said?["job"]?.text ?? "of an unknown number"
    case .ended(let status, _, let errors):
      let said = String(decoding: errors, as: UTF8.self).split(separator: "\n").first ?? ""
      throw StintError(
        .unavailable, "stint submit ended with status \(status): \(said.prefix(300))",
        errno: status == ExitStatus.usage ? Self.permanent : 0)
    case .notStarted(let code):
      throw StintError(
        .unavailable, "\(program) cannot be started: \(String(cString: strerror(code)))")
    case .tookTooLong(let time):
      throw StintError(
        .unavailable, "stint submit gave no answer within \(time.compactText)", errno: ETIMEDOUT)
    }
  }

  func follower(markedAs mark: String) -> Result<String?, EngineFailure> {
    do throws(StintError) {
      let requests = try store.ids().compactMap { (try? store.read($0)) ?? nil }
      return .success(requests.first { $0.terms.origin == mark }?.id)
    } catch {
      return .failure(failure(error))
    }
  }

  func refusal(_ error: StintError) -> EngineRefusal {
    error.errno == Self.permanent ? .permanent : .passing
  }

  // MARK: Arrays

  func standing(
    of array: String, within patience: Duration
  ) -> Result<EngineStanding, EngineFailure> {
    do throws(StintError) {
      guard let entry = try store.entry(array) else { return .success(EngineStanding()) }
      return .success(standing(of: entry) { QueueReading(store) })
    } catch {
      return .failure(failure(error))
    }
  }

  private func standing(
    of entry: QueueMachine.Entry, in reading: () -> QueueReading
  ) -> EngineStanding {
    var standing = EngineStanding()
    switch entry.request.standing.state {
    case .done, .stopped: return standing
    case .setAside:
      standing.isHeld = true
      standing.reason = "set aside"
      standing.comment = entry.request.standing.why
      return standing
    case .running where entry.isLocked: standing.isRunning = true
    case .running: standing.reason = "the process that ran it is gone"
    case .waiting:
      if store.isSet(.cancel, for: entry.id) { return standing }
      standing.reason = reading().clause(of: entry)
    }
    if let pause = entry.pause {
      standing.isHeld = true
      standing.reason = "paused"
      standing.comment = pause.reason.isEmpty ? nil : pause.reason
    }
    return standing
  }

  func standings(within patience: Duration) -> Result<[String: EngineStanding], EngineFailure> {
    do throws(StintError) {
      var standings: [String: EngineStanding] = [:]
      guard try !store.ids().isEmpty else { return .success([:]) }
      let reading = QueueReading(store)
      for entry in reading.entries {
        guard case .chain = entry.request.terms.work,
          !entry.request.standing.isOver || entry.request.standing.state == .setAside
        else { continue }
        standings[entry.id] = standing(of: entry) { reading }
      }
      return .success(standings)
    } catch {
      return .failure(failure(error))
    }
  }

  func array(ofChainIn folder: String) -> Result<String?, EngineFailure> {
    do throws(StintError) {
      let requests = try store.requests(ofChain: FilePath(folder).name.text)
      return .success(requests.last { !$0.standing.isOver }?.id)
    } catch {
      return .failure(failure(error))
    }
  }

  func cancelPending(_ arrays: [String]) -> String? {
    tell(arrays) { (array) throws(StintError) in try store.cancel(array) }
  }

  /// Runs that wait count against no limit here.
  func cancel(_ array: String, after task: Int, of count: Int) {}

  func hold(_ array: String, because why: String) -> String? {
    tell([array]) { (array) throws(StintError) in
      try store.set(.pause, to: true, with: why, for: array)
    }
  }

  func release(_ array: String) -> String? {
    tell([array]) { (array) throws(StintError) in _ = try store.resume(array) }
  }

  private func tell(
    _ arrays: [String], _ body: (String) throws(StintError) -> Void
  ) -> String? {
    var problem: String?
    for array in arrays {
      do throws(StintError) {
        try body(array)
      } catch {
        problem = error.message
      }
    }
    return problem
  }

  // MARK: Ends

  func end(of job: String) -> SliceEnd? {
    let parts = job.split(separator: "_")
    guard parts.count == 2, let run = Int(parts[1]),
      let standing = ((try? store.read(String(parts[0]))) ?? nil)?.standing,
      standing.vanished > 0,
      run == (standing.state == .running ? standing.runs - 1 : standing.runs)
    else { return nil }
    return .vanished
  }

  /// Whoever serves the queue is told to end, or somebody pauses the request.
  var endByWarning: SliceEnd? { .preempted }

  func failures(of array: String) -> [EngineTask] { [] }
}
