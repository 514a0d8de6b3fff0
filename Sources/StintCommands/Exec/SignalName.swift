import Glibc

/// Signals by the names that `kill -l` lists.
enum SignalName {
  private static let names: [(String, Int32)] = [
    ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("ILL", SIGILL), ("TRAP", SIGTRAP),
    ("ABRT", SIGABRT), ("BUS", SIGBUS), ("FPE", SIGFPE), ("KILL", SIGKILL), ("USR1", SIGUSR1),
    ("SEGV", SIGSEGV), ("USR2", SIGUSR2), ("PIPE", SIGPIPE), ("ALRM", SIGALRM), ("TERM", SIGTERM),
    ("STKFLT", 16), ("CHLD", SIGCHLD), ("CONT", SIGCONT), ("STOP", SIGSTOP), ("TSTP", SIGTSTP),
    ("TTIN", SIGTTIN), ("TTOU", SIGTTOU), ("URG", SIGURG), ("XCPU", SIGXCPU), ("XFSZ", SIGXFSZ),
    ("VTALRM", SIGVTALRM), ("PROF", SIGPROF), ("WINCH", SIGWINCH), ("IO", SIGIO), ("PWR", SIGPWR),
    ("SYS", SIGSYS), ("IOT", SIGABRT), ("CLD", SIGCHLD), ("POLL", SIGIO), ("EXIT", 0),
  ]
  /// The first and the last real-time signal that a program may use.
  private static let realTime: ClosedRange<Int32> = 34...64

  /// The last signal below those that the C library keeps for itself.
  private static let lastPlain: Int32 = 31

  /// Reads a name with or without `SIG`, in any case, or a number; nil if the text is not a signal.
  ///
  /// As with `timeout`, the number may be an exit status of a shell: the signal plus 128 or 256. 0,
  /// or `EXIT`, sends nothing.
  static func number(_ text: String) -> Int32? {
    if text.utf8.first.map({ (48...57).contains($0) }) ?? false {
      guard let told = Int32(text) else { return nil }
      let number = told & (told >= 0xFF ? 0xFF : 0x7F)
      return number <= lastPlain || realTime.contains(number) ? number : nil
    }
    var name = text.uppercased()
    if name.hasPrefix("SIG") { name.removeFirst(3) }
    if let found = names.first(where: { $0.0 == name }) { return found.1 }
    return realTimeNumber(name)
  }

  private static func realTimeNumber(_ name: String) -> Int32? {
    for (prefix, base, sign) in [
      ("RTMIN", realTime.lowerBound, Int32(1)), ("RTMAX", realTime.upperBound, -1),
    ] where name.hasPrefix(prefix) {
      let rest = name.dropFirst(prefix.count)
      if rest.isEmpty { return base }
      guard rest.first == (sign > 0 ? "+" : "-"), let steps = Int32(rest.dropFirst()), steps >= 0,
        steps <= realTime.upperBound
      else { return nil }
      let number = base + sign * steps
      return realTime.contains(number) ? number : nil
    }
    return nil
  }

  /// The name of a number, without `SIG`; the number itself if it has none.
  static func name(_ number: Int32) -> String {
    if let found = names.first(where: { $0.1 == number }) { return found.0 }
    return realTime.contains(number) ? "RTMIN+\(number - realTime.lowerBound)" : "\(number)"
  }

  /// Names that are offered when one is not known.
  static var all: [String] { names.map(\.0) }
}
