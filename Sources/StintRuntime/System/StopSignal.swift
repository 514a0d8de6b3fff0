import Glibc

/// A signal by which people and systems ask a process to end.
public struct StopSignal: Hashable, Sendable {
  /// Its number.
  public let number: Int32

  /// SIGTERM: what `kill`, service managers and container engines send.
  public static let terminate = StopSignal(number: SIGTERM)
  /// SIGINT: Ctrl-C.
  public static let interrupt = StopSignal(number: SIGINT)
  /// SIGHUP: the terminal is gone.
  public static let hangup = StopSignal(number: SIGHUP)
  /// SIGUSR1: a warning that batch systems send.
  public static let user1 = StopSignal(number: SIGUSR1)
  /// SIGUSR2: a warning that batch systems send.
  public static let user2 = StopSignal(number: SIGUSR2)
  /// SIGXCPU: the limit of processor time is near.
  public static let processorTime = StopSignal(number: SIGXCPU)

  /// Whether it says that the process is ended soon: one that comes often counts once.
  var isWarning: Bool { [.user1, .user2, .processorTime].contains(self) }
}
