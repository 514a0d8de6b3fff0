import Glibc
import StintCore
import StintRuntime

/// The commands of Slurm, as this process calls them.
struct Slurm: Sendable {
  let environment: [String: String]
  /// The job in whose allocation this process runs.
  var job: EngineJob? { EngineJob.ofSlurm { environment[$0] } }

  /// Names of variables that change what the commands print.
  private var withheld: [String] {
    environment.keys.filter { name in
      ["SLURM_TIME_FORMAT", "SBATCH_WAIT", "SBATCH_CLUSTERS", "SLURM_CLUSTERS"].contains(name)
        || [QueueSlice.requestVariable, QueueSlice.runVariable, QueueSlice.endVariable].contains(
          name)
        || name.hasPrefix("SQUEUE_") || name.hasPrefix("SCONTROL_")
    }.sorted()
  }

  /// Runs a command of Slurm: what it wrote to its standard output, or why it gave no answer.
  func answer(
    _ words: [String], within patience: Duration = EnginePatience.usual
  ) -> Result<String, EngineFailure> {
    var call = ProgramCall(words, within: patience)
    call.variables = ["TZ": "UTC"]
    call.withheld = withheld
    switch call.run() {
    case .ended(0, let output, _): return .success(String(decoding: output, as: UTF8.self))
    case .ended(let status, _, let errors):
      let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n")
      let first = lines.first.map { ": \($0.prefix(200))" } ?? ""
      return .failure(
        EngineFailure(
          why: "\(words[0]) ended with status \(status)\(first)",
          said: lines.isEmpty
            ? nil : String(lines.prefix(3).joined(separator: "; ").prefix(500))))
    case .notStarted(let errno):
      return .failure(
        EngineFailure(
          why: "\(words[0]) cannot be started: \(String(cString: strerror(errno)))",
          isAbsent: errno == ENOENT))
    case .tookTooLong(let time):
      return .failure(
        EngineFailure(why: "\(words[0]) gave no answer within \(time.compactText)", isLate: true))
    }
  }
}

extension Slurm: Engine {
  var name: String { EngineJob.slurm }
  var title: String { "Slurm" }

  var slice: EngineSlice? {
    guard let array = environment["SLURM_ARRAY_JOB_ID"],
      let task = environment["SLURM_ARRAY_TASK_ID"].flatMap({ Int($0) }), task > 0
    else { return nil }
    return EngineSlice(
      array: array, task: task, job: job?.job, node: environment["SLURMD_NODENAME"])
  }

  var variablesOfSlice: [String: String] { ["SLURM_JOB_ID": "1"] }

  var allocation: EngineAllocation? {
    guard let job else { return nil }
    return .asked { (lead, complain) throws(StintError) -> any BudgetSource in
      try SlurmQuestion(job, slurm: self, complain: complain).source(lead: lead)
    }
  }

  func findings(jobsPath: String, nodes: Int?, stopGrace: Duration) -> [Finding] {
    SlurmDoctor(slurm: self, jobsPath: jobsPath, nodes: nodes, stopGrace: stopGrace).findings()
  }

  // MARK: Submission

  /// A controller that is busy takes a submission late.
  private static let submissionMayTake = Duration.seconds(60)

  func check(links: Int) throws(StintError) {
    guard let most = configuration()?.number("MaxArraySize"), links + 1 >= most else { return }
    throw StintError(
      .usage,
      "--links \(links) is more than this Slurm takes: its MaxArraySize is \(most), so give at most "
        + "\(most - 2), and --again for more.")
  }

  func adviceOnCancelling(_ arrays: [String]) -> String {
    "scancel \(arrays.joined(separator: " ")) removes them"
  }

  func script(of chain: ChainHandOver) -> String? { SlurmScript(chain).text }

  func dryRun(of chain: ChainHandOver) -> String {
    let script = SlurmScript(chain)
    return "# \(chain.path)/\(ChainJob.script)\n\(script.text)\n"
      + script.command.map(ShellWord.quoted).joined(separator: " ") + "\n"
  }

  func log(of array: String?, in chain: String) -> String { "\(chain)/\(ChainJob.log)" }

  func submit(_ chain: ChainHandOver) throws(StintError) -> String {
    try submit(SlurmScript(chain).command)
  }

  func submit(
    follower words: [String], from folder: String, markedAs mark: String
  ) throws(StintError) -> String {
    try submit(["sbatch", "--parsable"] + words)
  }

  private func submit(_ command: [String]) throws(StintError) -> String {
    switch answer(command, within: Self.submissionMayTake) {
    case .success(let text):
      // With several clusters, its name follows after a semicolon.
      let number = text.prefix { $0 != ";" && $0 != "\n" }
      if !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) { return String(number) }
      throw StintError(.unavailable, "sbatch said \"\(text.prefix(200))\", which names no job")
    case .failure(let failure):
      throw StintError(
        .unavailable, failure.said.map { "Slurm says \"\($0)\"" } ?? failure.why,
        errno: failure.mayHaveTaken ? ETIMEDOUT : 0)
    }
  }

  func refusal(_ error: StintError) -> EngineRefusal {
    func says(_ signs: String...) -> Bool { signs.contains { error.message.holds($0) } }
    if says("limit", "Limit", "QOS", "Max", "Assoc") { return .ofLimits }
    // Such as the words of an unknown partition.
    let isPermanent = says(
      "nvalid ", "can not be satisfied", "configuration is not available", "nrecognized",
      "nable to open file")
    return isPermanent && !error.mayHaveBeenTaken ? .permanent : .passing
  }

  /// The settings of the cluster; nil if it cannot be asked.
  func configuration() -> SlurmConfiguration? {
    guard case .success(let text) = answer(["scontrol", "show", "config"]) else { return nil }
    return SlurmConfiguration(text)
  }

  // MARK: Arrays

  func standing(
    of array: String, within patience: Duration
  ) -> Result<EngineStanding, EngineFailure> {
    let asked = answer(["squeue", "-h", "-j", array, "-o", "%t|%r|%k"], within: patience)
    if case .failure(let failure) = asked, failure.knowsNoSuchJob {
      return .success(EngineStanding())
    }
    return asked.map(EngineStanding.init(squeue:))
  }

  func standings(within patience: Duration) -> Result<[String: EngineStanding], EngineFailure> {
    answer(["squeue", "-h", "--me", "-o", "%F|%t|%r|%k"], within: patience).map { text in
      let lines = text.split(separator: "\n").map {
        $0.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      }
      return Dictionary(grouping: lines.filter { $0.count == 2 }) {
        String($0[0].filter(\.isNumber))
      }
      .mapValues { EngineStanding(squeue: $0.map { String($0[1]) }.joined(separator: "\n")) }
    }
  }

  func array(ofChainIn folder: String) -> Result<String?, EngineFailure> {
    let script = "\(folder)/\(ChainJob.script)"
    return answer(["squeue", "-h", "--me", "-o", "%F %o"]).map { text in
      let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
      let line = lines.first { $0.drop { $0 != " " }.dropFirst() == script }
      return line.map { String($0.prefix { $0 != " " }) }
    }
  }

  func cancelPending(_ arrays: [String]) -> String? {
    if arrays.isEmpty { return nil }
    return switch answer(["scancel", "--state=PENDING"] + arrays) {
    case .success: nil
    case .failure(let failure): failure.knowsNoSuchJob ? nil : failure.why
    }
  }

  func cancel(_ array: String, after task: Int, of count: Int) {
    // No state is given, because `scancel` ignores numbers of tasks where it gets a state, too.
    if task < count { _ = answer(["scancel", "\(array)_[\(task + 1)-\(count)]"]) }
  }

  func hold(_ array: String, because why: String) -> String? {
    // Slurm takes 1,024 bytes.
    let comment = String(
      (SlurmScript.mark + why).map { $0.isNewline || $0 == "\t" ? " " : $0 }.prefix(250))
    // The comment first: what is held says why from the beginning.
    _ = answer(["scontrol", "update", "JobId=\(array)", "Comment=\(comment)"])
    return control("hold", array) { $0.isHeld || $0.reason == nil }
  }

  func release(_ array: String) -> String? {
    let failure = control("release", array) { !$0.isHeld }
    // A later hold must not show the reason of this one.
    if failure == nil { _ = answer(["scontrol", "update", "JobId=\(array)", "Comment="]) }
    return failure
  }

  /// Changes the tasks of an array by `scontrol`; why that failed, or nil.
  ///
  /// Its exit status says nothing: it is 1 as soon as a task of the array has ended.
  private func control(
    _ verb: String, _ array: String, isDone: (EngineStanding) -> Bool
  ) -> String? {
    guard case .failure(let failure) = answer(["scontrol", verb, array]) else { return nil }
    let standing = try? standing(of: array, within: EnginePatience.usual).get()
    return standing.map(isDone) ?? false ? nil : failure.why
  }

  // MARK: Ends

  func end(of job: String) -> SliceEnd? {
    jobs(job, within: EnginePatience.usual).lazy.compactMap { SliceEnd($0) }.first
  }

  func failures(of array: String) -> [EngineTask] {
    jobs(array, within: EnginePatience.ofPerson).filter { $0.state == "FAILED" }.compactMap { job in
      job.task.map {
        EngineTask(
          job: $0, node: job.node, exitCode: job.exitCode, lacksOutput: job.lacksOutput)
      }
    }
  }

  /// The tasks of an array that Slurm remembers.
  private func jobs(_ job: String, within patience: Duration) -> [SlurmJob] {
    guard
      case .success(let text) = answer(["scontrol", "show", "job", "-o", job], within: patience)
    else { return [] }
    return text.split(separator: "\n").compactMap(SlurmJob.init)
  }
}

extension EngineFailure {
  /// Whether Slurm has no job of that number, or none any more.
  fileprivate var knowsNoSuchJob: Bool { said?.contains("Invalid job id") ?? false }
}

extension EngineStanding {
  /// Reads lines of `squeue`: state, reason and comment.
  init(squeue text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      if fields[0] == "PD" {
        reason = reason ?? String(fields[1].prefix(60))
      } else {
        isRunning = true
      }
      if fields[2].hasPrefix(SlurmScript.mark) {
        comment = String(fields[2].dropFirst(SlurmScript.mark.count))
      }
    }
    isHeld = reason?.hasPrefix("JobHeld") ?? false
    canNeverBegin = reason == "DependencyNeverSatisfied"
  }
}

/// A job, as `scontrol show job` prints it.
struct SlurmJob: Hashable, Sendable {
  let state: String
  let node: String
  let exitCode: String
  let reason: String
  /// Whether Slurm took its allocation back, at once or after a grace.
  let wasPreempted: Bool
  /// Its number and task, such as `120_4`; nil for what is no task of an array.
  let task: String?

  /// Whether Slurm could not open what the script was to write to: then it never began.
  var lacksOutput: Bool { state == "FAILED" && exitCode == "0:53" }

  init?(_ line: Substring) {
    let words = line.split(separator: " ")
    func value(_ name: String) -> String? {
      words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    guard let state = value("JobState") else { return nil }
    self.state = state
    node = value("NodeList") ?? ""
    exitCode = value("ExitCode") ?? ""
    reason = value("Reason") ?? ""
    wasPreempted = value("PreemptTime")?.first?.isNumber ?? false
    // For tasks that wait this is a range.
    task = value("ArrayTaskId").flatMap { task in value("ArrayJobId").map { "\($0)_\(task)" } }
  }
}

extension SliceEnd {
  /// Reads how Slurm ended a job, or is about to; nil if the job ended by itself.
  init?(_ job: SlurmJob) {
    switch job.state {
    // What Slurm ends is in this state before its processes get a signal.
    case "COMPLETING", "TIMEOUT", "DEADLINE", "CANCELLED", "PREEMPTED":
      if job.reason == "TimeLimit" || ["TIMEOUT", "DEADLINE"].contains(job.state) {
        self = .timedOut
      } else if job.wasPreempted || job.state == "PREEMPTED" {
        self = .preempted
      } else {
        self = .cancelled
      }
    case "NODE_FAIL", "BOOT_FAIL": self = .nodeLost
    case "OUT_OF_MEMORY": self = .outOfMemory
    case "REQUEUED": self = .preempted
    // What ended by itself in the grace of a preemption.
    default:
      guard job.wasPreempted else { return nil }
      self = .preempted
    }
  }
}

extension Slurm {
  /// How long the controller may take: the ranks' time to save is running.
  private static let stepPatience = Duration.seconds(3)

  /// Sends a signal to all ranks that some `srun`s of this host have started; waits for Slurm.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - launchers: The processes of the `srun`s.
  /// - Returns: Whether the ranks have it.
  func signal(_ number: Int32, toRanksOf launchers: [Int32]) -> RankReach {
    var words = ["scontrol", "show", "step", "--oneliner"]
    if let job = environment["SLURM_JOB_ID"], !job.isEmpty { words.append(job) }
    guard case .success(let text) = answer(words, within: Self.stepPatience) else { return .silent }
    let hosts = [StoreIdentity.current().host, environment["SLURMD_NODENAME"] ?? ""]
    let steps = Self.steps(in: text) { host, process in
      launchers.contains(process) && hosts.contains { Self.isSameHost($0, host) }
    }
    guard !steps.isEmpty else { return .noRanks }
    let call = answer(["scancel", "--signal=\(number)"] + steps, within: Self.stepPatience)
    if case .success = call { return .reached }
    return .silent
  }

  /// The steps in what `scontrol show step --oneliner` prints, by the host and the process of the
  /// `srun` that has started them.
  static func steps(in text: String, where isWanted: (Substring, Int32) -> Bool) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      func value(_ name: String) -> Substring? {
        words.first { $0.hasPrefix(name) }?.dropFirst(name.count)
      }
      guard let step = value("StepId="),
        step.allSatisfy({ $0.isASCII && ($0.isNumber || "._+".contains($0)) }),
        let place = value("SrunHost:Pid="), let colon = place.lastIndex(of: ":"),
        let process = Int32(place[place.index(after: colon)...]), isWanted(place[..<colon], process)
      else { return nil }
      return String(step)
    }
  }

  private static func isSameHost(_ one: String, _ other: Substring) -> Bool {
    !one.isEmpty && one.prefix { $0 != "." } == other.prefix { $0 != "." }
  }
}
