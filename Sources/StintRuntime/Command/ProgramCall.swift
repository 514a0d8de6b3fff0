import CStint
import Glibc
import StintCore

/// Runs another program and takes what it writes, for a limited time.
///
/// The program is no part of a command that this process supervises.
package struct ProgramCall: Sendable {
  /// What came of a call.
  package enum Outcome: Hashable, Sendable {
    /// It ended with an exit status; 128 + n after signal n.
    case ended(Int32, output: [UInt8], errors: [UInt8])
    /// It could not be started.
    case notStarted(errno: Int32)
    /// It was ended because it took too long.
    case tookTooLong(Duration)
  }

  /// The time between two looks at a program that writes nothing.
  private static let look = Duration.milliseconds(5)
  /// How long a killed program is waited for.
  private static let deathMayTake = Duration.seconds(1)

  package var words: [String]
  /// Variables that are set for it, in place of any that this process has.
  package var variables: [String: String] = [:]
  /// Variables that it does not inherit.
  package var withheld: [String] = []
  package var patience: Duration
  /// More output is thrown away.
  package var mostBytes = 1 << 20

  package init(_ words: [String], within patience: Duration) {
    self.words = words
    self.patience = patience
  }

  /// Runs it and waits; on a thread that may wait that long.
  package func run() -> Outcome {
    var pipes: [Int32] = [-1, -1, -1, -1]
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { for end in pipes + [input] where end >= 0 { close(end) } }
    guard input >= 0, Self.makePipes(&pipes) else { return .notStarted(errno: errno) }
    var command = CommandSpecification(words)
    command.variables = variables
    command.withheld = withheld
    command.leadsGroup = false
    command.isSpared = true
    // The child takes each of them before it gives the first three their new meaning.
    let own = [input, pipes[1], pipes[3]]
    let given = own.map(Self.aboveStandard)
    command.standard = given
    let copies = zip(own, given).filter { $0 != $1 }.map(\.1)
    defer { for copy in copies { close(copy) } }
    let child: Int32
    switch command.start() {
    case .success(let number): child = number
    case .failure(let failure): return .notStarted(errno: failure.errno)
    }
    for end in [1, 3] {
      close(pipes[end])
      pipes[end] = -1
    }
    return follow(child, output: pipes[0], errors: pipes[2])
  }

  private func follow(_ child: Int32, output: Int32, errors: Int32) -> Outcome {
    let deadline = BootClock.now.advanced(by: patience)
    var taken: (output: [UInt8], errors: [UInt8]) = ([], [])
    var open = (output: true, errors: true)
    while true {
      // Whether it has ended is asked first: what it wrote before is there then.
      let status = Self.status(of: child)
      if open.output { open.output = take(from: output, into: &taken.output) }
      if open.errors { open.errors = take(from: errors, into: &taken.errors) }
      if let status {
        stint_child_reap(child)
        return .ended(status, output: taken.output, errors: taken.errors)
      }
      guard BootClock.now < deadline else {
        end(child)
        return .tookTooLong(patience)
      }
      var events = [
        pollfd(fd: open.output ? output : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: open.errors ? errors : -1, events: Int16(POLLIN), revents: 0),
      ]
      poll(&events, 2, Int32(Self.look.nanoseconds / 1_000_000))
    }
  }

  /// Kills it; one that the kernel cannot end yet, as on a dead file server, is left to the end of
  /// this process.
  private func end(_ child: Int32) {
    kill(child, SIGKILL)
    let limit = BootClock.now.advanced(by: Self.deathMayTake)
    while Self.status(of: child) == nil {
      guard BootClock.now < limit else { return }
      poll(nil, 0, Int32(Self.look.nanoseconds / 1_000_000))
    }
    stint_child_reap(child)
  }

  private static func status(of child: Int32) -> Int32? {
    switch OwnChildren.end(of: child) {
    case nil: nil
    case .exited(let status): status
    case .signalled(let number, _): 128 + number
    }
  }

  /// Takes what is there; false at the end.
  private func take(from descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      bytes += buffer[..<min(count, max(0, mostBytes - bytes.count))]
    }
  }

  private static func makePipes(_ ends: inout [Int32]) -> Bool {
    for first in [0, 2] {
      var (own, other): (Int32, Int32) = (-1, -1)
      guard stint_socket_pair(&own, &other) == 0 else { return false }
      (ends[first], ends[first + 1]) = (own, other)
      _ = fcntl(own, F_SETFL, O_NONBLOCK)
    }
    return true
  }

  private static func aboveStandard(_ descriptor: Int32) -> Int32 {
    descriptor > 2 ? descriptor : max(descriptor, fcntl(descriptor, F_DUPFD_CLOEXEC, 3))
  }
}
