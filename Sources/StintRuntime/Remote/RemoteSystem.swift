import CStint
import Glibc
public import StintCore

/// Another process plays the system for this one: a supervisor such as `stint exec`.
///
/// Its grants come over the socket that it left in `STINT_SYSTEM_FD`
/// (`docs/formats/system-protocol.md`); they are asynchronous (A3, A4), and the application's state
/// follows that process's decisions. It enforces the deadline from outside, so no hard stop is
/// armed here, unless it vanishes: then its time is taken back, and this process ends itself.
public final class RemoteSystem: Sendable {
  package let driver: SystemDriver
  package let link: RemoteLink
  /// The process that grants.
  public let owner: Int32
  /// For which of its requests this program was launched, and the trip in which it begins; nil if
  /// somebody started it for its own sake.
  package let launch: Launch?

  /// For what, and into which trip, a supervisor launches a program.
  package struct Launch: Hashable, Sendable {
    package let reason: SystemMessage.Launch
    package let trip: SystemMessage.Trip
  }

  /// How long the first message may take; it is there before the child is started.
  private static let welcomeMayTake = Duration.seconds(1)

  /// Accepts the offer of this process's parent, if there is one.
  ///
  /// To be called early: it takes the two variables out of the environment, which other threads
  /// must not read meanwhile. Where SIGTERM has its default action, a handler is installed for it
  /// (`docs/formats/system-protocol.md`): the signal is then a stop, and the tasks expire.
  ///
  /// - Parameters:
  ///   - termination: What happens at the deadline when the supervisor has vanished.
  ///   - hooks: Where records and messages go.
  /// - Returns: The system, or nil if no supervisor made an offer to this process.
  /// - Throws: ``StintError`` with the code `unavailable` if it made one and does not keep it.
  public static func adopt(
    termination: InProcessSystem.Termination = .report,
    hooks: InProcessSystem.Hooks = InProcessSystem.Hooks()
  ) throws(StintError) -> RemoteSystem? {
    guard let invitation = RemoteInvitation.find() else { return nil }
    let system = try RemoteSystem(
      accepting: invitation, termination: termination, hooks: hooks)
    system.stopAtTermination()
    return system
  }

  /// Accepts an offer.
  package init(
    accepting invitation: RemoteInvitation, termination: InProcessSystem.Termination,
    hooks: InProcessSystem.Hooks
  ) throws(StintError) {
    guard let descriptor = invitation.take() else {
      throw StintError(.unavailable, "The supervisor's offer has been taken already.")
    }
    owner = invitation.owner
    let transport: SocketTransport
    do throws(StintError) {
      transport = try SocketTransport(descriptor: descriptor, name: "stint-system")
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    var first = FirstLines(descriptor: descriptor)
    let welcome = try first.welcome(from: owner, within: Self.welcomeMayTake)
    if termination == .terminate {
      let result = stint_hard_stop_open()
      guard result == 0 else {
        throw StintError(
          .unavailable, "The kernel gives no timer for the hard stop; check ulimit -i.",
          errno: -result)
      }
    }
    // Only a background is launched into.
    launch = welcome.launch.flatMap { reason in
      welcome.trip.map { Launch(reason: reason, trip: $0) }
    }
    let environment = ProcessEnvironment(
      termination: termination, hooks: hooks, isEnforcing: false)
    driver = SystemDriver(policy: welcome.policy, environment: environment, authority: .remote)
    if welcome.continuesChild { driver.defaultFollowUp = .stop }
    link = RemoteLink(driver: driver, transport: transport, welcome: welcome) {
      environment.takeOver()
    }
    let (framer, lines) = (first.framer, first.lines)
    start = Protected { link, name in
      link.sayHello(name: name, pid: getpid())
      link.follow()
      transport.start(link, framer: framer, lines: lines)
    }
  }

  private let start: Protected<(@Sendable (RemoteLink, String) -> Void)?>

  /// Begins the conversation: says hello, goes to the supervisor's state, and obeys from then on.
  ///
  /// The application must have become active; a task that it begins before this call is asked for
  /// with the first words.
  ///
  /// - Parameter name: What this program is called in the supervisor's messages.
  package func begin(named name: String) {
    start.withLock { $0.take() }?(link, name)
  }
}

/// Reads the first line of a conversation, before anything else can be done.
private struct FirstLines {
  let descriptor: Int32
  var framer = LineFramer()
  var lines: [[UInt8]] = []

  mutating func welcome(
    from owner: Int32, within limit: Duration
  ) throws(StintError) -> SystemMessage.Welcome {
    let end = BootClock.now.advanced(by: limit)
    while lines.isEmpty {
      guard waits(until: end) else { throw Self.refusal(owner, "no welcome came") }
      var buffer = [UInt8](repeating: 0, count: 8_192)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { throw Self.refusal(owner, "it has gone") }
      do {
        lines += try framer.append(buffer[..<count])
      } catch {
        throw Self.refusal(owner, "\(error)")
      }
    }
    do {
      guard case .welcome(let welcome)? = try SystemMessage.read(lines.removeFirst()) else {
        throw ProtocolFault("its first message is not a welcome")
      }
      guard welcome.version == SystemProtocol.version else {
        throw ProtocolFault("it speaks version \(welcome.version)")
      }
      return welcome
    } catch {
      throw Self.refusal(owner, "\(error)")
    }
  }

  private func waits(until end: Instant) -> Bool {
    while true {
      let left = BootClock.now.duration(to: end).nanoseconds / 1_000_000
      guard left >= 0 else { return false }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&polled, 1, Int32(clamping: left + 1))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }

  private static func refusal(_ owner: Int32, _ why: String) -> StintError {
    StintError(
      .unavailable,
      "The supervisor (process \(owner)) offered its time and does not grant it: \(why).")
  }
}
