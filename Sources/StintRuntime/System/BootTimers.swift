import CStint
package import StintCore

/// Calls back at instants of the boot-time clock, on one thread of its own on which every signal is blocked.
///
/// Dispatch's timers stop with the machine; these do not. A callback must be short: the next one waits for it.
package final class BootTimers: Sendable {
  /// Names a scheduled call.
  package struct Token: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct Entry {
    let token: Token
    var at: Instant
    let period: Duration?
    let action: @Sendable () -> Void
  }

  private struct State {
    var entries: [Entry] = []
    var posted: [@Sendable () -> Void] = []
    var nextNumber = 1
    var armed = Instant.distantFuture
  }

  private let state = Protected(State())
  private let timer: Int32
  private let event: Int32

  /// The system's own timers; its thread also performs what the system decides, and may wait for a disk.
  package static let shared = BootTimers("stint-timers")

  /// The timers of workers and sessions, which must not wait for the system's thread.
  package static let clients = BootTimers("stint-clients")

  private init(_ name: String) {
    timer = stint_timer_open()
    event = stint_event_open()
    precondition(timer >= 0 && event >= 0, "No descriptor is left for the boot-time timers.")
    let context = Unmanaged.passRetained(self).toOpaque()
    let started = stint_thread_start(
      name,
      { raw in
        guard let raw else { return }
        Unmanaged<BootTimers>.fromOpaque(raw).takeUnretainedValue().run()
      }, context)
    precondition(started == 0, "The thread of the boot-time timers could not be started.")
  }

  /// Calls back once, at an instant or as soon after it as possible.
  @discardableResult
  package func schedule(at instant: Instant, _ action: @escaping @Sendable () -> Void) -> Token {
    add(at: instant, period: nil, action)
  }

  /// Calls back again and again; calls that were missed while the machine stood still are not made up for (L5).
  @discardableResult
  package func schedule(
    every period: Duration, from first: Instant, _ action: @escaping @Sendable () -> Void
  ) -> Token {
    precondition(period.nanoseconds > 0, "A period is at least a nanosecond.")
    return add(at: first, period: period, action)
  }

  /// Takes a call back; one that is running now is not waited for.
  package func cancel(_ token: Token) {
    // The action is released outside the lock: what it holds may be anything.
    let gone = state.withLock { state -> Entry? in
      guard let index = state.entries.firstIndex(where: { $0.token == token }) else { return nil }
      return state.entries.remove(at: index)
    }
    withExtendedLifetime(gone) {}
  }

  /// Calls back on the timers' thread as soon as it is free.
  package func post(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.posted.append(action) }
    stint_event_signal(event)
  }

  /// The instant after `instant` at which a period next begins, past `now`.
  package static func next(after instant: Instant, period: Duration, now: Instant) -> Instant {
    let next = instant.advanced(by: period)
    guard next <= now else { return next }
    let missed = next.duration(to: now).nanoseconds / period.nanoseconds
    return next.advanced(by: .nanoseconds(period.nanoseconds * (missed + 1)))
  }

  private func add(
    at instant: Instant, period: Duration?, _ action: @escaping @Sendable () -> Void
  ) -> Token {
    state.withLock { state in
      let token = Token(number: state.nextNumber)
      state.nextNumber += 1
      state.entries.append(Entry(token: token, at: instant, period: period, action: action))
      arm(&state)
      return token
    }
  }

  /// Sets the kernel's timer to the earliest call.
  private func arm(_ state: inout State) {
    let earliest = state.entries.map(\.at).min() ?? .distantFuture
    guard earliest != state.armed else { return }
    state.armed = earliest
    let result = stint_timer_set(
      timer, earliest == .distantFuture ? -1 : max(1, earliest.nanoseconds))
    precondition(result == 0, "A timer on the boot-time clock could not be set.")
  }

  private func run() {
    while true {
      let waited = stint_timer_wait(timer, event)
      precondition(waited == 0, "Waiting for the boot-time timers failed.")
      for action in takeDue() { action() }
    }
  }

  private func takeDue() -> [@Sendable () -> Void] {
    state.withLock { state in
      let now = BootClock.now
      var due = state.posted
      state.posted = []
      let ready = state.entries.filter { $0.at <= now }.sorted { $0.at < $1.at }
      due += ready.map(\.action)
      state.entries.removeAll { $0.at <= now && $0.period == nil }
      for index in state.entries.indices where state.entries[index].at <= now {
        guard let period = state.entries[index].period else { continue }
        state.entries[index].at = Self.next(
          after: state.entries[index].at, period: period, now: now)
      }
      // The kernel's timer is one shot, so what is armed is no longer known.
      state.armed = Instant(nanoseconds: .min)
      arm(&state)
      return due
    }
  }
}
