package import StintCore

/// What a process knows of the request of a machine's queue whose work it is.
package struct QueueSlice: Hashable, Sendable {
  package static let requestVariable = "STINT_REQUEST"
  package static let runVariable = "STINT_REQUEST_RUN"
  /// When its time ends, in nanoseconds of the machine's boot-time clock; missing without an end.
  package static let endVariable = "STINT_REQUEST_END"
  /// A longer name is none that a queue gave.
  private static let longest = 20

  package var request: String
  /// Which run of the request it is, from 1.
  package var run: Int
  package var end: Instant?

  /// Reads the environment; nil outside of any, and on another machine or after another boot, to
  /// which another engine may have carried the variables.
  package init?(_ variable: (String) -> String?) {
    guard let request = variable(Self.requestVariable),
      (1...Self.longest).contains(request.utf8.count),
      request.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) || $0 == 45 }),
      let run = variable(Self.runVariable).flatMap({ Int($0) }), run > 0,
      variable(SystemProtocol.bootVariable) == StoreIdentity.bootID
    else { return nil }
    (self.request, self.run) = (request, run)
    end = variable(Self.endVariable).flatMap { Int64($0) }.map {
      Instant(nanoseconds: $0).advanced(by: TimeNamespace.offset)
    }
  }

  /// An end as the variable has it: by the clock of the machine, which is not that of each
  /// container (time_namespaces(7)).
  package static func text(ofEnd end: Instant) -> String {
    String(end.advanced(by: .zero - TimeNamespace.offset).nanoseconds)
  }

  /// The environment of a run without an end.
  package static func variables(request: String, run: Int) -> [String: String] {
    var variables = [requestVariable: request, runVariable: String(run)]
    variables[SystemProtocol.bootVariable] = StoreIdentity.bootID
    return variables
  }

  /// The run as an engine's job.
  package var job: EngineJob {
    EngineJob(engine: EngineJob.local, job: "\(request)_\(run)", node: StoreIdentity.hostName)
  }
}
