import Glibc
import StintCore

/// The clock of the machine, in a container whose boot-time clock begins elsewhere
/// (time_namespaces(7)).
///
/// What one process writes down for another, the clock of both must agree on.
enum TimeNamespace {
  /// How far the boot-time clock of this process is ahead of the machine's.
  static let offset: Duration = {
    // The file tells of the children's namespace, which is this process's own unless it has asked
    // for another one.
    guard let own = KernelFile.link("/proc/self/ns/time"),
      own == KernelFile.link("/proc/self/ns/time_for_children"),
      let text = KernelFile.text("/proc/self/timens_offsets")
    else { return .zero }
    return offset(in: text) ?? .zero
  }()

  /// The offset of the boot-time clock in the text of `/proc/PID/timens_offsets`; nil if it is
  /// none.
  static func offset(in text: String) -> Duration? {
    for line in text.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      // The kernel numbers the clocks in some versions, and names them in others.
      guard words.count == 3, words[0] == "boottime" || words[0] == "\(CLOCK_BOOTTIME)",
        let seconds = Int64(words[1]), let nanoseconds = Int64(words[2])
      else { continue }
      return .seconds(seconds) + .nanoseconds(nanoseconds)
    }
    return nil
  }
}
