import StintRuntime

extension Parallel {
  /// As `map`, for bodies that cannot fail.
  static func each<Result: Sendable>(
    count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    do {
      return try map(count: count, threads: threads, body)
    } catch {
      preconditionFailure("a body that cannot fail threw \(error)")
    }
  }
}
