import Foundation
import Stint
import StintCore

/// Looks every two seconds at what others use of the processors, from its beginning to its end.
///
/// Others are whatever is neither this program with its children, nor a thread of the kernel, which
/// writes what this program gives it. Time that a hypervisor took away counts.
final class OthersMeter: Sendable {
  /// How far apart two readings are.
  static let interval = Duration.seconds(2)
  /// A window that is much shorter has too few ticks to say anything.
  private static let leastTicks = 50.0

  private struct Reading {
    var times: ProcessorTimes
    var table: ProcessTable
  }

  private struct State {
    var first: Reading?
    var last: Reading?
    var windows: [Double] = []
    var isOver = false
  }

  private let state = Protected(State())
  private let thread = SerialThread(name: "bench-others", isPrompt: false)

  /// Begins to look.
  init() {
    let reading = Self.read()
    state.withLock { state in
      state.first = reading
      state.last = reading
    }
    look(at: BootClock.now.advanced(by: Self.interval))
  }

  private func look(at instant: Instant) {
    thread.enqueue { [weak self] in
      Pause.until(instant)
      guard let self, !self.state.withLock({ $0.isOver }) else { return }
      self.note()
      self.look(at: instant.advanced(by: Self.interval))
    }
  }

  private func note() {
    guard let reading = Self.read() else { return }
    state.withLock { state in
      guard !state.isOver, let last = state.last else { return }
      state.windows.append(Self.others(from: last, to: reading))
      state.last = reading
    }
  }

  /// Ends, and says what others used; nil where there is no `/proc`.
  func finish() -> Disturbance? {
    let reading = Self.read()
    return state.withLock { state in
      state.isOver = true
      guard let first = state.first, let last = state.last, let reading else { return nil }
      if state.windows.isEmpty || Self.ticks(from: last, to: reading) >= Self.leastTicks {
        state.windows.append(Self.others(from: last, to: reading))
      }
      return Disturbance(mean: Self.others(from: first, to: reading), windows: state.windows)
    }
  }

  private static func read() -> Reading? {
    guard let times = ProcessorTimes.now(), let table = ProcessTable.now() else { return nil }
    return Reading(times: times, table: table)
  }

  private static func ticks(from earlier: Reading, to later: Reading) -> Double {
    later.times.all - earlier.times.all
  }

  /// What others used, as a share of one processor.
  private static func others(from earlier: Reading, to later: Reading) -> Double {
    let all = ticks(from: earlier, to: later)
    guard all > 0 else { return 0 }
    let busy = later.times.computing - earlier.times.computing
    let others = busy - later.table.ticks(since: earlier.table)
    return max(0, others) / all * Double(later.times.processors)
  }
}
