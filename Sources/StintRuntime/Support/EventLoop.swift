import CStint
import Glibc
package import StintCore

/// What one thread does in turn: calls at instants of the boot-time clock, calls that other threads
/// post, and calls when a descriptor can be read.
///
/// A callback must be short: the next one waits for it. Any thread may post and schedule.
/// Dispatch's timers stop with the machine; these do not.
package final class EventLoop: Sendable {
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

  private struct Watch {
    let descriptor: Int32
    let action: @Sendable () -> Void
  }

  private struct State {
    var entries: [Entry] = []
    var posted: [@Sendable () -> Void] = []
    /// In the order in which they came; what is ready at once is called in this order.
    var watched: [Watch] = []
    var nextNumber = 1
    var armed = Instant.distantFuture
    var mustEnd = false
  }

  private let state = Protected(State())
  private let timer: Int32
  private let event: Int32

  /// Opens the descriptors of a loop that does not run yet.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  package init() throws(StintError) {
    timer = stint_timer_open()
    event = stint_event_open()
    guard timer >= 0, event >= 0 else {
      throw .noDescriptor(for: "a timer", -min(timer, event))
    }
  }

  deinit {
    close(timer)
    close(event)
  }

  /// Calls back once, at an instant or as soon after it as possible.
  @discardableResult
  package func schedule(at instant: Instant, _ action: @escaping @Sendable () -> Void) -> Token {
    add(at: instant, period: nil, action)
  }

  /// Calls back again and again; calls that were missed while the machine stood still are not made
  /// up for (L5).
  @discardableResult
  package func schedule(
    every period: Duration, from first: Instant, _ action: @escaping @Sendable () -> Void
  ) -> Token {
    precondition(period.nanoseconds > 0, "A period is at least a nanosecond.")
    return add(at: first, period: period, action)
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

  /// Takes a call back; one that is running now is not waited for.
  package func cancel(_ token: Token) {
    // The action is released outside the lock: what it holds may be anything.
    let gone = state.withLock { state -> Entry? in
      guard let index = state.entries.firstIndex(where: { $0.token == token }) else { return nil }
      return state.entries.remove(at: index)
    }
    withExtendedLifetime(gone) {}
  }

  /// Calls back in a later turn.
  package func post(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.posted.append(action) }
    stint_event_signal(event)
  }

  /// Calls back whenever a descriptor can be read, or has been closed at its other end.
  package func watch(_ descriptor: Int32, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      precondition(
        !state.watched.contains { $0.descriptor == descriptor }, "A descriptor is watched twice.")
      state.watched.append(Watch(descriptor: descriptor, action: action))
    }
    stint_event_signal(event)
  }

  /// Watches a descriptor no longer; to be called before it is closed.
  package func unwatch(_ descriptor: Int32) {
    let gone = state.withLock { state -> Watch? in
      guard let index = state.watched.firstIndex(where: { $0.descriptor == descriptor }) else {
        return nil
      }
      return state.watched.remove(at: index)
    }
    withExtendedLifetime(gone) {}
  }

  /// Lets ``run()`` return after the present turn.
  package func end() {
    state.withLock { $0.mustEnd = true }
    stint_event_signal(event)
  }

  /// Serves until ``end()`` is called.
  package func run() {
    while !state.withLock({ $0.mustEnd }) {
      for action in takeDue() { action() }
      if state.withLock({ $0.mustEnd || !$0.posted.isEmpty }) { continue }
      wait()
    }
    // A handler that will never be called must not keep objects alive.
    let left = state.withLock { state in
      defer { (state.posted, state.entries, state.watched) = ([], [], []) }
      return (state.posted, state.entries, state.watched)
    }
    withExtendedLifetime(left) {}
  }

  private func wait() {
    let watched = state.withLock { $0.watched }
    var waited = ([timer, event] + watched.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&waited, nfds_t(waited.count), -1) > 0 else {
      precondition(errno == EINTR, "Waiting for signals and timers failed.")
      return
    }
    for ready in waited.prefix(2) where ready.revents != 0 {
      var count: UInt64 = 0
      _ = read(ready.fd, &count, 8)
    }
    for (ready, watch) in zip(waited.dropFirst(2), watched) where ready.revents != 0 {
      // One that came before may have taken this one's watch back.
      let isWatched = state.withLock { state in
        state.watched.contains { $0.descriptor == watch.descriptor }
      }
      if isWatched { watch.action() }
    }
  }

  private func arm(_ state: inout State) {
    let earliest = state.entries.map(\.at).min() ?? .distantFuture
    guard earliest != state.armed else { return }
    state.armed = earliest
    let result = stint_timer_set(
      timer, earliest == .distantFuture ? -1 : max(1, earliest.nanoseconds))
    precondition(result == 0, "A timer on the boot-time clock could not be set.")
  }

  private func takeDue() -> [@Sendable () -> Void] {
    state.withLock { state in
      let now = BootClock.now
      let posted = exchange(&state.posted, with: [])
      guard state.armed <= now else { return posted }
      let ready = state.entries.filter { $0.at <= now }.sorted { $0.at < $1.at }
      state.entries.removeAll { $0.at <= now && $0.period == nil }
      for index in state.entries.indices where state.entries[index].at <= now {
        guard let period = state.entries[index].period else { continue }
        state.entries[index].at = state.entries[index].at.next(every: period, past: now)
      }
      // The kernel's timer is one shot, so what is armed is no longer known.
      state.armed = Instant(nanoseconds: .min)
      arm(&state)
      return posted + ready.map(\.action)
    }
  }
}

extension StintError {
  static func noDescriptor(for what: String, _ errno: Int32) -> StintError {
    StintError(
      .unavailable, "No descriptor is left for \(what); raise the limit (ulimit -n).", errno: errno)
  }
}
