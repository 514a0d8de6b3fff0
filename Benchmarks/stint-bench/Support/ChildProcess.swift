import CStint
import Foundation
import Glibc
import Stint
import StintCore

/// A process that the benchmark started.
struct ChildProcess {
  /// How a process ended.
  enum End: Hashable {
    case exited(Int32)
    case killed(by: Int32)
  }

  /// When the benchmark began to start it.
  let startedAt: Instant
  private let pid: pid_t

  /// Starts a program with no signal blocked and all signals at their defaults.
  ///
  /// - Parameters:
  ///   - path: The program, looked for in `PATH` if it has no slash.
  ///   - arguments: What follows the program's name.
  ///   - variables: What its environment has besides this process's.
  ///   - output: The files that its standard output and standard error go to, made anew; nil for
  ///     this process's own.
  /// - Throws: ``StintError`` with the code `unavailable`.
  init(
    _ path: String, _ arguments: [String], variables: [String: String] = [:],
    output: (standard: String, error: String)? = nil
  ) throws {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var every = sigset_t()
    sigemptyset(&none)
    sigfillset(&every)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &every)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      for (descriptor, file) in [(STDOUT_FILENO, output.standard), (STDERR_FILENO, output.error)] {
        posix_spawn_file_actions_addopen(
          &actions, descriptor, file, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
      }
    }

    let all = ProcessInfo.processInfo.environment.merging(variables) { _, given in given }
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var environment = all.map { strdup("\($0)=\($1)") } + [nil]
    defer { (words + environment).forEach { free($0) } }
    var pid = pid_t()
    startedAt = BootClock.now
    let error = posix_spawnp(&pid, path, &actions, &attributes, &words, &environment)
    guard error == 0 else {
      throw StintError(.unavailable, "\(path) cannot be started.", errno: error)
    }
    self.pid = pid
  }

  /// Starts this program again in another role.
  static func playing(_ role: some BenchChild) throws -> ChildProcess {
    try ChildProcess(ownPath(), role.arguments)
  }

  /// The path of this program.
  static func ownPath() throws -> String {
    guard let path = realpath("/proc/self/exe", nil) else {
      throw StintError(.unavailable, "/proc/self/exe cannot be read.", errno: errno)
    }
    defer { free(path) }
    return String(cString: path)
  }

  /// The path of another product that lies beside this program.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if it is not built.
  static func sibling(_ product: String) throws -> String {
    let path = URL(filePath: try ownPath()).deletingLastPathComponent().appending(path: product)
      .path()
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw StintError(
        .unavailable, "\(path) is not there; build the product \(product) in the same mode.")
    }
    return path
  }

  /// The path of the first of these programs that is installed.
  static func installed(_ names: [String]) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.lazy.flatMap { name in folders.lazy.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Sends it a signal.
  func send(_ number: Int32) { kill(pid, number) }

  /// Waits for the end, but not beyond an instant: then the process is sent SIGKILL.
  func wait(killingAt instant: Instant) -> (end: End, at: Instant) {
    let handle = stint_pidfd_open(pid)
    defer { if handle >= 0 { close(handle) } }
    var waited = [pollfd(fd: handle, events: Int16(POLLIN), revents: 0)]
    while handle >= 0, waited[0].revents == 0 {
      let rest = BootClock.now.duration(to: instant).inSeconds * 1e3
      guard rest > 0 else { break }
      // Too early by less than a millisecond would be a kill too early: rounded up.
      _ = poll(&waited, 1, Int32(rest.rounded(.up)))
    }
    if waited[0].revents == 0 { kill(pid, SIGKILL) }
    let (end, at, _) = wait()
    return (end, at)
  }

  /// Waits for the end, and learns what the process used.
  ///
  /// - Returns: How it ended, when this process knew, and the kernel's account of it and its
  ///   children that it waited for.
  func wait() -> (end: End, at: Instant, usage: rusage) {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
    let now = BootClock.now
    let signal = status & 0x7f
    return (signal == 0 ? .exited((status >> 8) & 0xff) : .killed(by: signal), now, usage)
  }

  /// Waits for the end of those of its process group that it left behind.
  ///
  /// They are this process's children only if it adopts orphans; what they computed is then
  /// counted as its own.
  func waitForOrphans() {
    while waitpid(-pid, nil, 0) > 0 || errno == EINTR {}
  }

  /// Kills it, and waits for the end.
  func end() {
    kill(pid, SIGKILL)
    _ = wait()
  }
}
