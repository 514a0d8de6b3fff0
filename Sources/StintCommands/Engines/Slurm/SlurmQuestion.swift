import StintCore
import StintRuntime

/// When an allocation of Slurm ends: what is asked, and how its answers are read.
///
/// `SLURM_JOB_END_TIME` says it at the start where there is that variable; `squeue` says it then
/// and every 30 s, and shortly before the lead, because the time limit of a running job can be
/// changed.
final class SlurmQuestion: Sendable {
  /// The time between two questions; many processes of an array must not ask at once, so they
  /// begin at different times.
  private static let period = Duration.seconds(30)
  /// How long before the lead to ask once more.
  private static let beforeLead = Duration.seconds(2)
  /// How long the start of the work waits for a first answer.
  private static let firstAnswerMayTake = Duration.seconds(1)
  /// How long before Slurm kills what did not end after a signal the work must have ended.
  static let killMargin = Duration.seconds(1)

  private struct State {
    var isFirst = true
    /// The time between SIGTERM and SIGKILL, once it is known.
    var grace: Duration?
  }

  private let job: EngineJob
  private let slurm: Slurm
  private let told: ToldEnd
  private let wallClock: @Sendable () -> Int64
  private let state = Protected(State())

  init(
    _ job: EngineJob, slurm: Slurm,
    wallClock: @escaping @Sendable () -> Int64 = { StoreIdentity.current().wallClock() },
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.job = job
    self.slurm = slurm
    self.wallClock = wallClock
    told = ToldEnd(wallClock: wallClock, complain: complain)
  }

  /// The source that asks, for work that is warned so long before the end.
  func source(lead: Duration) throws(StintError) -> AskedBudget {
    let source = try AskedBudget(
      name: .slurm, reason: .engineEndTime, every: Self.period, stagger: Self.stagger(job.job),
      lead: lead + Self.beforeLead, stopGrace: { self.stopGrace }
    ) { self.ask() }
    _ = source.wait(atMost: Self.firstAnswerMayTake)
    return source
  }

  /// How long the work may save after SIGTERM; nil while nobody knows.
  private var stopGrace: Duration? {
    state.withLock { $0.grace }.map { max(.seconds(1), $0 - Self.killMargin) }
  }

  /// A share of the period that differs between jobs and is always the same for one.
  static func stagger(_ job: String) -> Double {
    let number = job.utf8.reduce(UInt64(0)) { ($0 &* 31) &+ UInt64($1) }
    return 0.25 + 0.75 * Double(number % 64) / 63
  }

  /// Asks when the allocation ends.
  func ask() -> BudgetEnd {
    let isFirst = state.withLock { state in
      defer { state.isFirst = false }
      return state.isFirst
    }
    // No program has to be started for what the environment says.
    if isFirst, let endVariable = slurm.environment["SLURM_JOB_END_TIME"],
      let time = UntilTime.instant("@" + endVariable),
      let end = ending(endVariable, at: time)
    {
      return end
    }
    defer { if !isFirst { askGrace() } }
    switch slurm.answer(["squeue", "-h", "-j", job.job, "-o", "%e"]) {
    case .success(let text): return read(text)
    case .failure(let failure): return unusable(failure.why)
    }
  }

  /// Reads the answer of `squeue`; the parts of a job that has several end together, and the first
  /// end counts.
  func read(_ answer: String) -> BudgetEnd {
    let lines = answer.split(separator: "\n").map { $0.filter { $0 != " " } }
    guard let first = lines.filter({ $0 != "NONE" }).min() else {
      return lines.isEmpty ? unusable("squeue knows no job \(job.job)") : told.none()
    }
    guard let time = UntilTime.instant(first + "Z") else {
      return unusable("squeue says \"\(first.prefix(60))\", which is not a time")
    }
    return ending(first, at: time)
      ?? unusable("squeue says that the allocation ended at \(first) UTC, which has passed")
  }

  /// The end at a time; nil if it has passed, which the end of an allocation that still runs has
  /// not.
  private func ending(_ text: String, at time: Int64) -> BudgetEnd? {
    guard time > wallClock() else { return nil }
    return told.at(text) { _ in time }
  }

  private func unusable(_ why: String) -> BudgetEnd {
    told.unusable(
      "Slurm did not say when this allocation ends: \(why); the last known end still applies.")
  }

  /// Asks how long Slurm waits between SIGTERM and SIGKILL.
  private func askGrace() {
    guard state.withLock({ $0.grace }) == nil, let configuration = slurm.configuration() else {
      return
    }
    state.withLock { $0.grace = configuration.duration("KillWait") }
  }
}
