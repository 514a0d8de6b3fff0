import CStint
import Glibc
import StintCore
import StintRuntime

/// The process that holds a job, found again for certain.
///
/// A process number may be another process's a moment later. The descriptor is opened first and the
/// start time compared after that: from then on every signal reaches this process or none.
final class HolderProcess {
  enum Wait: Hashable {
    case met, ended, timedOut
  }

  let pid: Int32
  private let descriptor: Int32

  /// Finds the process; nil if it is not of this machine and boot, or is gone.
  init?(_ holder: LockHolder, seenBy identity: StoreIdentity) {
    guard holder.host == identity.host, holder.bootId == identity.bootID, holder.pid > 0 else {
      return nil
    }
    let descriptor = stint_pidfd_open(holder.pid)
    guard descriptor >= 0 else { return nil }
    guard identity.startOfProcess(holder.pid).map(holder.isStart) ?? false else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    pid = holder.pid
  }

  deinit {
    close(descriptor)
  }

  /// Sends a signal.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if it may not or the process has just
  ///   ended.
  func send(_ signal: Int32) throws {
    let result = stint_pidfd_signal(descriptor, signal)
    guard result < 0 else { return }
    throw StintError(
      .unavailable,
      "Process \(pid) cannot be signalled: \(String(cString: strerror(-result))).", errno: -result)
  }

  /// Whether it is stopped, as by SIGSTOP.
  var isStopped: Bool {
    KernelFile.text("/proc/\(pid)/stat").map(KernelFile.statFields)?.first == "T"
  }

  func ignores(_ signal: Int32) -> Bool {
    guard let text = KernelFile.text("/proc/\(pid)/status"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("SigIgn:") }),
      let word = line.split(whereSeparator: \.isWhitespace).last,
      let mask = UInt64(word, radix: 16)
    else { return false }
    return mask >> UInt64(signal - 1) & 1 == 1
  }

  /// Waits until something holds, which is looked at about fifty times a second, the process has
  /// ended, or the time is up.
  func wait(atMost limit: Duration, until condition: () -> Bool) -> Wait {
    let deadline = BootClock.now.advanced(by: limit)
    while true {
      if condition() { return .met }
      if hasEnded(within: 20) { return .ended }
      if BootClock.now >= deadline { return .timedOut }
    }
  }

  /// Waits for the end; true at once when it comes.
  func hasEnded(within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}

extension VerbContext {
  /// The process that holds a job, where it can be reached.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` and where it is instead.
  func process(of view: JobView) throws -> HolderProcess {
    guard let holder = view.summary.holder else {
      throw StintError(
        .unavailable,
        "\(view.key) is in use by a process whose number is not known yet; try again.")
    }
    if let process = reachableProcess(of: view) { return process }
    let advice =
      holder.host == identity.host
      ? "it cannot be reached from here." : "log in on that machine to send it a signal."
    throw StintError(
      .unavailable, "\(view.key) is held by \(holder.text(seenBy: identity)); \(advice)")
  }

  /// The process that holds a job, if a signal reaches it from here.
  func reachableProcess(of view: JobView) -> HolderProcess? {
    view.summary.holder.flatMap { HolderProcess($0, seenBy: identity) }
  }

  /// Looks at a job a few times a second until something holds, nobody works on it any more, or the
  /// time is up; returns the last look.
  func wait(atMost limit: Duration, for key: String, until condition: (JobView) -> Bool) -> JobView
  {
    let deadline = BootClock.now.advanced(by: limit)
    while true {
      let view = view(of: key)
      if condition(view) || !view.summary.isRunning || BootClock.now >= deadline { return view }
      poll(nil, 0, 200)
    }
  }
}
