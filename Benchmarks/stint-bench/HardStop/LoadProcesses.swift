/// Processes that keep processors busy while something else is measured.
enum LoadProcesses {
  /// Runs the body while so many processes compute at the same priority.
  static func run<Result>(_ count: Int, _ body: () throws -> Result) throws -> Result {
    var children: [ChildProcess] = []
    defer { children.forEach { $0.end() } }
    for _ in 0..<count { children.append(try .playing(.load)) }
    return try body()
  }
}
