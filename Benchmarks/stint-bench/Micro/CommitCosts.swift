import CStint
import Glibc
import Stint
import StintCore

/// What a durable checkpoint costs over writing the same bytes and waiting for the disk.
struct CommitCosts {
  private enum Subject: CaseIterable {
    case commit, plain
    /// Like plain, but the disk is asked to begin every 8 MB, as a commit asks it.
    case plainBegunEarly
  }

  private static let earlyBytes = 8 << 20

  let options: BenchOptions

  private var bytes: Int { options.quick ? 4_000_000 : 100_000_000 }
  private var pairs: Int { options.quick ? 2 : options.rounds ?? 30 }

  /// Measures both in turn; each writes a new file, which is removed before the next.
  func figures() throws -> [Figure] {
    let scratch = try ScratchDirectory(below: options.directory)
    let ballast = Ballast(count: bytes)
    let computation = SpinComputation(
      totalIterations: 1, chunks: Outlook.ChunkRange(smallest: 1, largest: 1), ballast: ballast)
    var jobOptions = Job.Options()
    jobOptions.jobsDirectory = scratch.path
    let job = try Job(of: computation, options: jobOptions)
    // The directory is there before the first commit is timed.
    try job.materialize()
    let plainPath = scratch.path + "/plain"
    // Once each beforehand: the first file of a directory and the first pages cost more.
    _ = try (Self.commit(ballast, to: job), Self.plain(ballast, at: plainPath))
    let times = try Interleaving.run(Subject.allCases, rounds: pairs) { subject in
      switch subject {
      case .commit: try Self.commit(ballast, to: job)
      case .plain: try Self.plain(ballast, at: plainPath)
      case .plainBegunEarly: try Self.plain(ballast, at: plainPath, beginsEarly: true)
      }
    }
    guard let commits = times[.commit], let plains = times[.plain],
      let earlies = times[.plainBegunEarly]
    else { return [] }
    let ratios = Sample(zip(commits, plains).map { $0 / $1 })
    let (commit, plain, early) = (Sample(commits), Sample(plains), Sample(earlies))
    let interval = ratios.medianInterval()
    let figures = [
      Figure(
        "commitRatio", "commit of \(bytes / 1_000_000) MB over write + fsync", .ratio,
        ratios.median, gate: 1.15, goal: 1.05, of: ratios,
        interval: Interval(low: interval.lowerBound, high: interval.upperBound),
        note: "median of \(ratios.count) pairs"),
      Figure("commitMilliseconds", "commit", .milliseconds, commit.median, of: commit),
      Figure("writeFsyncMilliseconds", "write + fsync", .milliseconds, plain.median, of: plain),
      Figure(
        "writeFsyncBegunEarlyMilliseconds", "write + fsync, the disk begun early", .milliseconds,
        early.median, of: early),
    ]
    return scratch.isMemory ? figures.map { $0.notJudged() } : figures
  }

  private static func commit(_ ballast: Ballast, to job: Job) throws -> Double {
    var payload = CheckpointPayload()
    payload.lend(ballast.bytes, owner: ballast)
    let began = BootClock.now
    _ = try job.commit(
      payload, workTime: .seconds(1), progress: WorkProgress(fraction: 0.5, phase: "spinning"))
    let took = began.duration(to: BootClock.now)
    try job.removeCheckpoints()
    return took.inSeconds * 1e3
  }

  private static func plain(
    _ ballast: Ballast, at path: String, beginsEarly: Bool = false
  ) throws -> Double {
    let began = BootClock.now
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw StintError(.cannotCreate, "\(path) cannot be made.", errno: errno)
    }
    let bytes = ballast.bytes
    var done = 0
    while done < bytes.count {
      let piece = beginsEarly ? min(earlyBytes, bytes.count - done) : bytes.count - done
      let count = write(file, bytes.baseAddress?.advanced(by: done), piece)
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw StintError(.io, "\(path) cannot be written.", errno: errno)
      }
      if beginsEarly { _ = stint_start_writeback(file, Int64(done), Int64(count)) }
      done += count
    }
    guard fsync(file) == 0 else {
      throw StintError(.io, "\(path) cannot be brought to disk.", errno: errno)
    }
    close(file)
    let took = began.duration(to: BootClock.now)
    unlink(path)
    // The next one finds the folder on disk, as it does after the removal of a checkpoint.
    let folder = open(String(path.dropLast("/plain".count)), O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
    return took.inSeconds * 1e3
  }
}
