import Dispatch
import Glibc
import Stint
import StintCore
import StintFibonacci

/// A process that arms its hard stop and does not let go of its time, or just in time.
struct HardStopChild {
  /// How long before the deadline the good child ends its task.
  private static let inTime = Duration.milliseconds(20)
  /// How long it lives past the deadline.
  private static let lingering = Duration.milliseconds(20)
  /// A product of two such numbers takes most of a second, much longer than any budget here.
  private static let factorBytes = 16 << 20

  let page: SharedPage
  let budget: Duration

  /// The handler comes on the main queue and never returns.
  func stickInHandler() throws -> Never {
    let application = try makeApplication()
    _ = application.beginBackgroundTask(withName: "stuck") {
      page[.isStuck] = 1
      page[.peakResident] = Self.peakResident()
      page.writeClock()
    }
    enterBackground(application)
    dispatchMain()
  }

  /// The main thread is inside GMP when the time is over, and serves no queue.
  func stickInsideGMP() throws -> Never {
    let application = try makeApplication()
    let (left, right) = (Self.factor(seed: 1), Self.factor(seed: 2))
    _ = application.beginBackgroundTask(withName: "stuck") {}
    let clock = SerialThread(name: "bench-clock")
    enterBackground(application)
    clock.enqueue { page.writeClock() }
    page[.isStuck] = 1
    while true { Sink.take(UInt64((left * right).limbBytes)) }
  }

  /// The task is ended before the deadline, so the hard stop is disarmed.
  func endInTime() throws -> Never {
    let application = try makeApplication()
    let task = application.beginBackgroundTask(withName: "in time") {}
    enterBackground(application)
    let deadline = Instant(nanoseconds: page[.deadline])
    page.writeClock(until: deadline.advanced(by: .zero - Self.inTime))
    application.endBackgroundTask(task)
    page[.ended] = BootClock.now.nanoseconds
    Pause.until(deadline.advanced(by: Self.lingering))
    exit(0)
  }

  private func makeApplication() throws -> Application {
    var hooks = InProcessSystem.Hooks()
    // That it is stuck is what it is for.
    hooks.diagnose = { _ in }
    let system = try InProcessSystem(
      policy: .commandLine.withBudget(budget, lead: budget * 2 / 3), termination: .terminate,
      hooks: hooks)
    let application = Application(system: system)
    application.launch()
    return application
  }

  private func enterBackground(_ application: Application) {
    application.enterBackground()
    page[.deadline] = application.driver.usableTimeEnd?.nanoseconds ?? 0
  }

  private static func factor(seed: UInt64) -> BigInteger {
    var random = SplitMix64(seed: seed)
    let limbs = (0..<factorBytes / 8).map { _ in random.next() }
    return limbs.withUnsafeBytes { BigInteger(limbs: $0) }
  }

  /// The high-water mark of resident memory in KiB, from `/proc/self/status` (proc(5)).
  ///
  /// It is read with bare calls: a library's way to read a file would itself be a part of what is
  /// measured.
  private static func peakResident() -> Int64 {
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count - 1)
      buffer[max(count, 0)] = 0
      guard let text = buffer.bindMemory(to: CChar.self).baseAddress,
        let line = strstr(text, "VmHWM:")
      else { return 0 }
      return Int64(strtoll(line + strlen("VmHWM:"), nil, 10))
    }
  }
}
