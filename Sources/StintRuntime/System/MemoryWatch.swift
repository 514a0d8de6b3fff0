import StintCore

/// Asks once a second whether memory is short, while somebody listens (L10).
///
/// The kernel's own triggers need privileges that a program seldom has; its counts and averages do
/// not. While somebody listens, the timer holds the watch.
final class MemoryWatch: Sendable {
  private struct State {
    var listeners: [ObjectIdentifier: @Sendable (_ isShort: Bool) -> Void] = [:]
    var gauge: MemoryGauge
    var token: EventLoop.Token?
  }

  /// The process's own.
  static let shared = MemoryWatch(MemoryGauge(read: { KernelFile.text($0) }))

  private let state: Protected<State>

  init(_ gauge: MemoryGauge) {
    state = Protected(State(gauge: gauge))
  }

  /// Sets what is told for an owner at each look whether memory is short; nil for nothing any more.
  func set(_ listener: (@Sendable (_ isShort: Bool) -> Void)?, for owner: AnyObject) {
    let ended = state.withLock { state -> EventLoop.Token? in
      state.listeners[ObjectIdentifier(owner)] = listener
      guard state.listeners.isEmpty == (state.token != nil) else { return nil }
      if state.listeners.isEmpty { return state.token.take() }
      state.gauge.forget()
      let first = BootClock.now.advanced(by: .seconds(1))
      state.token = BootTimers.clients.schedule(every: .seconds(1), from: first) { self.ask() }
      return nil
    }
    if let ended { BootTimers.clients.cancel(ended) }
  }

  private func ask() {
    // Only this thread uses the gauge, which reads files.
    var gauge = state.withLock { $0.gauge }
    let isShort = gauge.isShort()
    let listeners = state.withLock { state in
      state.gauge = gauge
      return Array(state.listeners.values)
    }
    for listener in listeners { listener(isShort) }
  }
}
