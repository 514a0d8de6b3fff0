import CStint
import Glibc
import StintCore
import StintRuntime

/// How a process that serves a queue goes on as a newer program: it becomes that by exec, and keeps
/// its number and its children.
struct ServerUpgrade {
  /// The variable that hands over the processes that run requests: numbers and requests.
  private static let variable = "STINT_ATTENDANTS"
  /// How long a new file has to be there: it may still be written.
  private static let settling = Duration.seconds(2)

  private let program: ProgramFile
  /// The file that was at the path at the last look, and since when.
  private var candidate: (device: UInt64, inode: UInt64, since: Instant)?

  init(of program: ProgramFile) { self.program = program }

  /// Looks whether the path of the program names another file for a while, which can be run.
  mutating func isReplaced(now: Instant) -> Bool {
    var (own, other) = (stat(), stat())
    let path = program.path.map { CChar(bitPattern: $0) } + [0]
    guard fstat(program.descriptor, &own) == 0, stat(path, &other) == 0,
      (own.st_dev, own.st_ino) != (other.st_dev, other.st_ino),
      other.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0
    else {
      candidate = nil
      return false
    }
    let found = (UInt64(other.st_dev), UInt64(other.st_ino))
    if let candidate, (candidate.device, candidate.inode) == found {
      return candidate.since.duration(to: now) >= Self.settling
    }
    candidate = (found.0, found.1, now)
    return false
  }

  /// Becomes the program at the path; returns if it cannot be started.
  func become(_ attendants: [Int32: String], launchedAt: Instant) {
    setenv(LaunchTime.variable, String(launchedAt.nanoseconds), 1)
    let text = attendants.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    setenv(Self.variable, text, 1)
    let path = program.path.map { CChar(bitPattern: $0) } + [0]
    var words: [UnsafeMutablePointer<CChar>?] = Environment.words().map { word in
      strdup(word.map { CChar(bitPattern: $0) } + [0])
    }
    words.append(nil)
    execv(path, words)
    words.forEach { free($0) }
    unsetenv(Self.variable)
    unsetenv(LaunchTime.variable)
  }

  /// The processes that an earlier program of this process has started.
  static func takeAttendants() -> [Int32: String] {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return [:] }
    unsetenv(variable)
    var attendants: [Int32: String] = [:]
    for part in text.split(separator: ",") {
      let fields = part.split(separator: ":")
      var event = stint_child_event()
      // Only a child of this process is one: signals are sent to it.
      guard fields.count == 2, let process = Int32(fields[0]), process > 1,
        QueueStore.isID(String(fields[1])), stint_child_peek(process, &event) == 0
      else { continue }
      attendants[process] = String(fields[1])
    }
    return attendants
  }
}
