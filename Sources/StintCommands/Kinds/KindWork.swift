package import StintCore
package import StintRuntime

/// Work of a kind that this process has understood and can do.
package protocol KindWork: Sendable {
  /// Does it until the process ends; what needs no job may return.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func run(_ options: RunOptions, _ launch: Launch) throws

  /// The forms of its job, with an absolute output; nil if they are known only when it runs.
  func forms(_ options: RunOptions, outputPath: FilePath?) -> JobForms?
}

extension KindWork {
  package func forms(_ options: RunOptions, outputPath: FilePath?) -> JobForms? { nil }
}

/// Work on a list of items that shards can take in turn.
package protocol ListedWork: KindWork {
  /// The list as it is now, for the chains of so many shards.
  ///
  /// - Returns: The content of the file `input` of each chain; nil if shards have begun by another
  ///   rule, which stays.
  /// - Throws: ``StintError`` for what is refused before the work.
  func list(_ options: RunOptions, in count: Int) throws -> [UInt8]?
}

/// Work that is one computation with one result.
package protocol ComputedWork: KindWork {
  associatedtype Computation: ChunkedComputation
  associatedtype Estimate: RunEstimate

  /// Whether the result is a long number that is shown by its ends on a terminal.
  var showsEnds: Bool { get }

  /// What it will need.
  func estimate(threads: Int) -> Estimate

  /// Makes the computation, which calls back with the name of its result's partial file.
  func computation(
    threads: Int, deliver: @escaping @Sendable (any Workspace, String) throws -> Void
  ) -> Computation
}

extension ComputedWork {
  package var showsEnds: Bool { false }

  package func forms(_ options: RunOptions, outputPath: FilePath?) -> JobForms? {
    options.forms(
      kind: Computation.kind, parameters: computation(threads: 1) { _, _ in }.parameters,
      outputPath: outputPath)
  }

  package func run(_ options: RunOptions, _ launch: Launch) throws {
    try compute(options, launch)
  }

  /// Computes until the process ends.
  func compute(_ options: RunOptions, _ launch: Launch) throws -> Never {
    let threads = options.threadCount
    try launch.runner(options).run(estimate: estimate(threads: threads), showsEnds: showsEnds) {
      output in computation(threads: threads) { try output.deliver($0, $1) }
    }
  }
}
