import Glibc
import Stint
import StintCore

/// A process with a hard stop.
struct HardStopRole {
  enum Part: String {
    /// Is stuck in its expiration handler, on the main thread.
    case stuckHandler = "stuck-handler"
    /// Is stuck inside one long multiplication on the main thread, while another thread reads the
    /// clock.
    case insideGMP = "inside-gmp"
    /// Ends its task 20 ms before the deadline, lives on past it, and exits with 0.
    case endsInTime = "ends-in-time"
  }

  let part: Part
  let page: Int32
  let budget: Duration
}

extension HardStopRole: BenchChild {
  static let name = "hard-stop"
  var mostSeconds: Int { 30 }
  var words: [String] { [part.rawValue, String(page), String(budget.nanoseconds)] }

  init?(words: [String]) {
    guard words.count == 3, let part = Part(rawValue: words[0]), let page = Int32(words[1]),
      let budget = Int64(words[2])
    else { return nil }
    self.init(part: part, page: page, budget: .nanoseconds(budget))
  }

  func play(launchedAt: Instant) throws -> Never {
    let child = HardStopChild(page: try SharedPage(descriptor: page), budget: budget)
    switch part {
    case .stuckHandler: try child.stickInHandler()
    case .insideGMP: try child.stickInsideGMP()
    case .endsInTime: try child.endInTime()
    }
  }
}

/// Reads the clock for ever, under somebody else's control.
struct SpinRole: BenchChild {
  static let name = "spin"
  let mostSeconds = 30
  let page: Int32

  var words: [String] { [String(page)] }

  init(page: Int32) {
    self.page = page
  }

  init?(words: [String]) {
    guard words.count == 1, let page = Int32(words[0]) else { return nil }
    self.init(page: page)
  }

  func play(launchedAt: Instant) throws -> Never {
    let page = try SharedPage(descriptor: page)
    page[.isStuck] = 1
    page.writeClock()
    exit(1)
  }
}
