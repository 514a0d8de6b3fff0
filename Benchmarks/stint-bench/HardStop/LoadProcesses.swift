import StintCore

/// Processes that keep processors busy while something else is measured.
enum LoadProcesses {
  /// Runs the body while so many processes compute at the same priority.
  static func run<Result>(_ count: Int, _ body: () throws -> Result) throws -> Result {
    var children: [ChildProcess] = []
    defer { children.forEach { $0.end() } }
    for _ in 0..<count { children.append(try .playing(LoadRole())) }
    return try body()
  }
}

/// Keeps a processor busy.
struct LoadRole: BenchChild {
  static let name = "load"
  let mostSeconds = 900
  let words: [String] = []

  init() {}

  init?(words: [String]) {
    guard words.isEmpty else { return nil }
  }

  func play(launchedAt: Instant) throws -> Never {
    while true { Sink.take(SpinKernel.run(1 << 20, from: 1)) }
  }
}
