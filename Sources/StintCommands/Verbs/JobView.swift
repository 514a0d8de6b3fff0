import StintCore
import StintRuntime

/// How a job stands.
enum JobState: String, Hashable, Sendable, CaseIterable {
  /// A process works on it, or rests between two stints.
  case running
  /// Its process is stopped, or waits until the pause file is gone.
  case paused
  /// Not finished, and nobody works on it.
  case waiting
  /// The result is durable.
  case finished
  /// Its last stint failed, and nobody has begun another one or is to begin it.
  case failed
  /// Its files are not those of a job that can be read.
  case damaged
  /// The device or the file server fails; the files may be whole.
  case unreadable
  /// Its directory belongs to another user.
  case foreign
}

/// One job as the verbs see it.
struct JobView: Sendable {
  var summary: JobSummary
  let kind: Kind
  var state: JobState
  /// What the running process said of itself last.
  var progress: ProgressReading?
  /// Whether the holder is a process of this machine.
  var holderIsHere = false
  /// Whether the holder is a process of this machine that a signal has stopped.
  var isStopped = false

  var key: String { summary.key }

  /// Whether the pause file is there and the holder has said since that it does nothing.
  private var obeysPauseFile: Bool {
    summary.markers.contains(.pause)
      && (progress?.report.state == .paused || progress?.report.state == .waiting)
  }

  static func state(of summary: JobSummary, isForeign: Bool, isStopped: Bool) -> JobState {
    if isForeign { return .foreign }
    if let problem = summary.problem { return problem.isOfTheDevice ? .unreadable : .damaged }
    if summary.isRunning { return isStopped ? .paused : .running }
    if summary.isFinished { return .finished }
    return summary.journal.lastStint?.ended == .failed ? .failed : .waiting
  }

  /// How somebody goes on with it.
  var advice: String {
    let verb = state == .failed ? "tries it again" : "continues it"
    return kind.runner.isResumed ? "stint resume \(key) \(verb)" : "the same command line \(verb)"
  }

  /// The share that is done: by the running process's word, else at the last durable point.
  var fraction: Double? {
    if summary.isFinished { return 1 }
    guard kind.countsWork else { return nil }
    return progress?.report.progress.fraction ?? summary.journal.lastCheckpoint?.fraction
      ?? (summary.journal.stints > 0 ? 0 : nil)
  }

  /// The job's own time that is kept.
  var workTime: Duration {
    max(summary.journal.workTime, progress?.report.workTime ?? .zero)
  }

  /// The time over all stints; of a running one up to now.
  func elapsed(now: JournalRecord.Stamp) -> Duration {
    var elapsed = summary.journal.elapsed
    if state == .running, let seen = summary.journal.lastStint?.lastSeen, seen.bootID == now.bootID
    {
      elapsed += max(.zero, seen.instant.duration(to: now.instant))
    }
    return elapsed
  }

  /// When something last happened, in nanoseconds since 1970.
  var lastActivity: Int64? {
    let journal = summary.journal
    let seen = [
      journal.lastStint?.lastSeen.unixNanoseconds, journal.finish?.stamp.unixNanoseconds,
      progress?.stamp.unixNanoseconds,
    ].compactMap { $0 }.max()
    return seen
      ?? summary.record.map { Duration(clampingSeconds: $0.createdUnixSeconds).nanoseconds }
  }

  /// The job in a line of another one's page.
  var oneLine: String {
    let share = fraction.map { ", " + ReportText.share($0) } ?? ""
    return "\(key), \(state.rawValue)\(share)"
  }

  /// What is computed, as one would write it on the command line.
  var what: String {
    summary.record.map { kind.title($0.parameters) }
      ?? String(key[..<(key.lastIndex(of: "-") ?? key.endIndex)])
  }
}

extension JobView {
  init(_ key: String, in catalog: JobCatalog, identity: StoreIdentity, kinds: KindTable) {
    let summary = catalog.summary(of: key)
    let isForeign = catalog.ownerID(of: key).map { $0 != identity.userID } ?? false
    self.init(summary: summary, kind: kinds[summary.record?.kind ?? ""], state: .foreign)
    if let holder = summary.holder, let process = HolderProcess(holder, seenBy: identity) {
      holderIsHere = true
      isStopped = process.isStopped
    }
    state = Self.state(of: summary, isForeign: isForeign, isStopped: isStopped)
    if state == .failed, let chain = catalog.chainKey(of: key),
      let record = (try? catalog.chain(chain)) ?? nil, catalog.goesOn(chain, record)
    {
      state = .waiting
    }
    if state == .waiting, catalog.arrayOfChains(key)?.ending == .failed { state = .failed }
    if summary.isRunning, let holder = summary.holder {
      progress = catalog.progressBytes(of: key).flatMap(ProgressReading.init(json:))
        .flatMap { $0.stamp.pid == holder.pid && $0.stamp.bootID == holder.bootId ? $0 : nil }
      // Stopped, its clock stands: what it said last holds.
      if isStopped { progress?.report.state = .paused }
      if state == .running, obeysPauseFile { state = .paused }
    }
  }

  /// What a verb that reads all of it exits with.
  var exitStatus: Int32 {
    switch state {
    case .damaged: ExitStatus.damaged
    case .unreadable: ExitStatus.io
    case .foreign: ExitStatus.unavailable
    case .running, .paused, .waiting, .finished, .failed: ExitStatus.finished
    }
  }

  /// What a run would infer of the last stint, if none has yet.
  func lastTermination(now: JournalRecord.Stamp) -> LastTermination.Cause? {
    summary.isRunning || summary.journal.inferredCause != nil
      ? nil : LastTermination.infer(summary.journal, bootID: now.bootID, now: now.instant)
  }
}
