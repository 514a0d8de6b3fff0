import Foundation
import Glibc
import Stint
import StintCore

/// What this program does when a benchmark starts it as a child.
enum ChildRole: Hashable {
  /// Is stuck in its expiration handler, on the main thread.
  case stuckHandler(page: Int32, budget: Duration)
  /// Is stuck inside one long multiplication on the main thread, while another thread reads the
  /// clock.
  case insideGMP(page: Int32, budget: Duration)
  /// Ends its task 20 ms before the deadline, lives on past it, and exits with 0.
  case endsInTime(page: Int32, budget: Duration)
  /// Reads the clock for ever, under somebody else's control.
  case spin(page: Int32)
  /// Keeps a processor busy.
  case load
  /// Works under a budget; what it saved is read from its job.
  case worker(SavedShareChild)
  /// Computes one Fibonacci number and tells how long its phases took.
  case fibonacci(FibonacciChild)
  /// Works through a budget of a scenario.
  case scenario(RealChild)

  private static let mark = "--as-child"
  /// A child never outlives this, whatever becomes of its parent.
  private static let mostSeconds: UInt32 = 30
  private static let mostLoadSeconds: UInt32 = 900
  private static let mostFibonacciSeconds: UInt32 = 3600

  /// Reads the role from a command line; nil if it is none of a child.
  init?(arguments: [String]) throws {
    guard arguments.first == Self.mark else { return nil }
    let words = Array(arguments.dropFirst())
    func number(_ index: Int) throws -> Int {
      guard words.indices.contains(index), let number = Int(words[index]) else {
        throw StintError(.usage, "--as-child is for stint-bench itself.")
      }
      return number
    }
    func page() throws -> Int32 { Int32(try number(1)) }
    func budget() throws -> Duration { .nanoseconds(try number(2)) }
    switch words.first {
    case "stuck-handler": self = .stuckHandler(page: try page(), budget: try budget())
    case "inside-gmp": self = .insideGMP(page: try page(), budget: try budget())
    case "ends-in-time": self = .endsInTime(page: try page(), budget: try budget())
    case "spin": self = .spin(page: try page())
    case "load": self = .load
    case "worker":
      self = .worker(
        SavedShareChild(
          page: try page(), budget: try budget(), chunkIterations: try number(3),
          checkpointBytes: try number(4), directory: words.last ?? ""))
    case "fibonacci":
      self = .fibonacci(
        FibonacciChild(
          n: try number(1), threads: try number(2), writesDigits: try number(3) == 1,
          directory: words.last ?? ""))
    case "scenario":
      let json = Data((words.last ?? "").utf8)
      self = .scenario(try JSONDecoder().decode(RealChild.self, from: json))
    default: throw StintError(.usage, "--as-child is for stint-bench itself.")
    }
  }

  /// The command line of the role.
  var arguments: [String] {
    func words(_ name: String, _ numbers: Int...) -> [String] {
      [Self.mark, name] + numbers.map(String.init)
    }
    return switch self {
    case .stuckHandler(let page, let budget):
      words("stuck-handler", Int(page), Int(budget.nanoseconds))
    case .insideGMP(let page, let budget):
      words("inside-gmp", Int(page), Int(budget.nanoseconds))
    case .endsInTime(let page, let budget):
      words("ends-in-time", Int(page), Int(budget.nanoseconds))
    case .spin(let page): words("spin", Int(page))
    case .load: words("load")
    case .worker(let child):
      words(
        "worker", Int(child.page), Int(child.budget.nanoseconds), child.chunkIterations,
        child.checkpointBytes) + [child.directory]
    case .fibonacci(let child):
      words("fibonacci", child.n, child.threads, child.writesDigits ? 1 : 0) + [child.directory]
    case .scenario(let child):
      words("scenario") + [
        String(decoding: (try? JSONEncoder().encode(child)) ?? Data(), as: UTF8.self)
      ]
    }
  }

  /// Plays the role to its end.
  func play(launchedAt: Instant) throws -> Never {
    // In a container of its own a child is process 1, which nothing can kill.
    try ProcessOne.leave()
    switch self {
    case .stuckHandler(let page, let budget):
      alarm(Self.mostSeconds)
      try HardStopChild(page: SharedPage(descriptor: page), budget: budget).stickInHandler()
    case .insideGMP(let page, let budget):
      alarm(Self.mostSeconds)
      try HardStopChild(page: SharedPage(descriptor: page), budget: budget).stickInsideGMP()
    case .endsInTime(let page, let budget):
      alarm(Self.mostSeconds)
      try HardStopChild(page: SharedPage(descriptor: page), budget: budget).endInTime()
    case .spin(let page):
      alarm(Self.mostSeconds)
      let page = try SharedPage(descriptor: page)
      page[.isStuck] = 1
      page.writeClock()
    case .load:
      alarm(Self.mostLoadSeconds)
      while true { Sink.take(SpinKernel.run(1 << 20, from: 1)) }
    case .worker(let child):
      alarm(UInt32(child.budget.inSeconds) + Self.mostSeconds)
      try child.work(launchedAt: launchedAt)
    case .fibonacci(let child):
      alarm(Self.mostFibonacciSeconds)
      try child.work()
    case .scenario(let child):
      alarm(UInt32(clamping: child.grant / 1_000_000_000) + Self.mostSeconds)
      try child.work()
    }
    exit(1)
  }
}
