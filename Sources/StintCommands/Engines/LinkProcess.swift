import CStint
import Glibc
import StintCore
import StintRuntime

/// What a link asks of the process that it is.
protocol LinkLife {
  /// Whether somebody told this slice to end before its time.
  var isTold: Bool { get }

  /// Enters the folder of the work.
  ///
  /// - Returns: The error number, or 0.
  func enter(_ directory: String) -> Int32

  /// Runs the work and waits for its end.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if it cannot be started.
  func run(_ launch: LaunchRecord, in chain: ChainJob, jobsPath: String) throws -> CommandEnd

  /// Waits between two tries.
  func rest(_ duration: Duration)
}

/// The process of a slice: the work is a child of it, and the signals are the child's.
struct LinkProcess: LinkLife {
  /// The time between two looks for a stop.
  private static let look = Duration.seconds(1)

  let signals: SignalWatch
  private let wasTold = Protected(false)

  init(_ signals: SignalWatch) { self.signals = signals }

  var isTold: Bool { wasTold.withLock { $0 } || SignalWatch.pendingOrWarned() != nil }

  func enter(_ directory: String) -> Int32 { chdir(directory) == 0 ? 0 : errno }

  func rest(_ duration: Duration) { poll(nil, 0, Int32(duration.nanoseconds / 1_000_000)) }

  func run(_ launch: LaunchRecord, in chain: ChainJob, jobsPath: String) throws -> CommandEnd {
    var words = launch.words
    if !words.contains(where: { $0.hasPrefix("--wait-lock") }), !Self.isTimeoutForm(words) {
      words.insert("--wait-lock", at: 1)
    }
    if let mask = launch.umask { umask(mode_t(mask)) }
    let program = try ProgramFile.own()
    var command = program.command(words.map { Array($0.utf8) })
    command.leadsGroup = false
    // This process ignores them, and a command is to die of them.
    command.defaults = [SIGPIPE, SIGXFSZ]
    command.variables = [
      ChainTie.variable: chain.path, "STINT_JOBS": jobsPath, "PWD": launch.directory,
    ]
    // What a supervisor that was killed leaves comes here. Children of before are none of ours.
    let isAdopting = ProcessFamily.orphans(besides: []).isEmpty && stint_adopt_orphans(1) == 0
    let pid: Int32
    switch withExtendedLifetime(program, { command.start() }) {
    case .success(let number): pid = number
    case .failure(let failure):
      throw StintError(
        .unavailable, "The work cannot be started: \(String(cString: strerror(failure.errno))).",
        errno: failure.errno)
    }
    signals.start { [wasTold] number in
      if number == SIGTERM { wasTold.withLock { $0 = true } }
      if number != SIGTSTP, number != SIGCONT { kill(pid, number) }
    }
    let process = CommandProcess(processID: pid, leadsGroup: false)
    let ended = stint_pidfd_open(pid)
    defer { if ended >= 0 { close(ended) } }
    var isStopped = false
    while true {
      if let end = process.end() {
        if isAdopting, case .signalled = end {
          ProcessFamily.kill { ProcessFamily.orphans(besides: [pid]) }
        }
        process.reap()
        return end
      }
      var event = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
      let turn = ended >= 0 ? Self.look : .milliseconds(20)
      poll(&event, 1, Int32(turn.nanoseconds / 1_000_000))
      if !isStopped, chain.job.isSet(.stop) {
        isStopped = true
        kill(pid, SIGTERM)
      }
    }
  }

  /// A command with a plain duration is run as `timeout` would, and is no job that could be held.
  private static func isTimeoutForm(_ words: [String]) -> Bool {
    words.first == "exec"
      && words.dropFirst().first { !$0.hasPrefix("-") }
        .map { TimeoutDuration($0) != nil } ?? false
  }
}
