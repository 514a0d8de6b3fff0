import Runtime
import StintCore
package import StintRuntime

extension SystemsTask {
  /// A closure that completes the task, and finds out who calls it if that happens twice (B2).
  package nonisolated var completionHandler: @Sendable (BackgroundFetchResult) -> Void {
    { result in
      // The addresses alone; their names are looked up if somebody has to know.
      let trace = try? Backtrace.capture(limit: 16, top: 0)
      self.complete(result) { Self.caller(in: trace) }
    }
  }

  /// The first place in a trace that is not the library's own.
  private nonisolated static func caller(in trace: Backtrace?) -> TaskOrigin {
    let ownPrefixes = ["$s5Stint", "$s12StintRuntime", "$s9StintCore", "$s15BackgroundTasks"]
    for frame in trace?.symbolicated()?.frames ?? [] {
      guard let symbol = frame.symbol, !symbol.rawName.isEmpty,
        !ownPrefixes.contains(where: { symbol.rawName.hasPrefix($0) })
      else { continue }
      let place = symbol.sourceLocation
      // A thunk has no place of its own.
      guard place.map({ $0.line > 0 }) ?? true else { continue }
      let file = place.map { $0.path.split(separator: "/").suffix(2).joined(separator: "/") }
      return TaskOrigin(
        function: symbol.name, file: file ?? symbol.imageName, line: UInt(place?.line ?? 0))
    }
    return .unknown
  }
}
