import StintCore
import StintFibonacci
import StintRuntime

extension RunCommand {
  /// Computes one number or a sequence until the process ends.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func run(_ work: FibonacciWork) throws -> Never {
    switch work.computation {
    case .fibonacci(let index): try runNumber(index, format: work.format)
    case .fibonacciSequence(let range): try runSequence(range)
    }
  }

  private func runNumber(_ index: FibonacciIndex, format: FibonacciFormat) throws -> Never {
    let threads = options.threadCount
    let estimate = FibonacciEstimate(index, format: format, threads: threads)
    FibonacciMemory.prepare(index, format: format, threads: threads)
    try run(estimate: estimate, showsEnds: format == .decimal) { output in
      FibonacciComputation(index, format: format, threads: threads) {
        try output.deliver($0, $1)
      }
    }
  }

  private func runSequence(_ range: FibonacciRange) throws -> Never {
    let estimate = FibonacciEstimate(range)
    if options.allowsStreaming, try OutputDestination(options.output).isStream {
      try OpenFiles.check()
      try SequenceStream(range: range, options: options).run()
    }
    try run(estimate: estimate, showsEnds: false) { output in
      FibonacciSequence(range) { try output.deliver($0, $1) }
    }
  }
}

extension RunOptions {
  /// Whether nothing was asked for that needs a worker.
  fileprivate var allowsStreaming: Bool {
    time.isUnlimited && time.checkpointEvery == nil && !isDryRun && !isIsolated && !keep
      && !display.json && display.events == nil
  }
}

extension FibonacciEstimate: RunEstimate {}
