import CStint
import Glibc
package import StintCore

/// A source that has to be asked: a file, or another program.
///
/// It is asked on a thread of its own: at once, again and again, and whenever a descriptor says
/// that there is news. A question that hangs holds up nobody; until it is answered, the last answer
/// stands.
package final class AskedBudget: BudgetSource {
  private struct State {
    var answer = BudgetEnd.unknown
    var listeners: [@Sendable () -> Void] = []
  }

  package let name: BudgetName
  package let reason: ExpiryReason
  package let mayChange = true
  private let question: @Sendable () -> BudgetEnd
  private let grace: @Sendable () -> Duration?
  private let state = Protected(State())
  private let loop: EventLoop
  private let thread = SerialThread(name: "stint-ask")
  /// How long before the end that it told last it is asked once more.
  private let lead: Duration?
  /// Readable as soon as there is an answer.
  private let answered: Int32
  private let news: Int32

  /// Begins to ask.
  ///
  /// - Parameters:
  ///   - name: Whose word it is.
  ///   - reason: Why who is warned of an end that came nearer is warned.
  ///   - period: The time between two questions.
  ///   - stagger: How much of the period passes before the second question.
  ///   - lead: How long before the end that was told last to ask once more; nil for never.
  ///   - news: A descriptor that can be read when there is news, and never blocks; this closes it.
  ///     -1 for none.
  ///   - stopGrace: How long the system behind it lets a process live after SIGTERM.
  ///   - question: Gives the answer; it may take its time.
  /// - Throws: ``StintError`` with the code `unavailable`.
  package init(
    name: BudgetName, reason: ExpiryReason, every period: Duration,
    stagger: Double = 1, lead: Duration? = nil, news: Int32 = -1,
    stopGrace: @escaping @Sendable () -> Duration? = { nil },
    question: @escaping @Sendable () -> BudgetEnd
  ) throws(StintError) {
    self.name = name
    self.reason = reason
    self.question = question
    grace = stopGrace
    self.news = news
    self.lead = lead
    loop = try EventLoop()
    answered = stint_event_open()
    guard answered >= 0 else { throw .noDescriptor(for: "a budget source", -answered) }
    loop.post { [weak self] in self?.ask() }
    loop.schedule(every: period, from: BootClock.now.advanced(by: period * stagger)) {
      [weak self] in self?.ask()
    }
    if news >= 0 {
      loop.watch(news) { [weak self] in
        var bytes = [UInt8](repeating: 0, count: 4096)
        while read(news, &bytes, bytes.count) > 0 {}
        self?.ask()
      }
    }
    thread.enqueue { [loop] in loop.run() }
  }

  deinit {
    loop.end()
    // After its last turn: until then the loop waits for the descriptor.
    thread.enqueue { [news, answered] in
      if news >= 0 { close(news) }
      close(answered)
    }
  }

  /// Waits for the first answer, but not for one that hangs.
  ///
  /// - Returns: Whether there is one.
  package func wait(atMost patience: Duration) -> Bool {
    var event = pollfd(fd: answered, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, Int32(clamping: patience.nanoseconds / 1_000_000)) > 0
  }

  package func end(ofTripSince start: Instant) -> BudgetEnd { state.withLock { $0.answer } }

  package var stopGrace: Duration? { grace() }

  package func follow(_ changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.listeners.append(changed) }
  }

  private func ask() {
    let answer = question()
    let listeners = state.withLock { state -> [@Sendable () -> Void]? in
      // What cannot be asked now leaves its last word.
      guard answer != .unknown, answer != state.answer else { return nil }
      state.answer = answer
      return state.listeners
    }
    stint_event_signal(answered)
    guard let listeners else { return }
    if let lead, case .at(let end) = answer {
      loop.schedule(at: end.advanced(by: .zero - lead)) { [weak self] in self?.ask() }
    }
    for listener in listeners { listener() }
  }
}
