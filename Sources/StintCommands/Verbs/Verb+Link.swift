import Glibc
import StintCore
import StintRuntime

extension Verb {
  /// `stint link`: what the script of a chain runs; not for people.
  static let link = Verb(
    VerbSpecification(
      ChainHandOver.verb, summary: "Run one slice of submitted work (for scripts of stint submit)",
      usage: ["link JOB SUBMISSION"], operands: .own, options: [OptionTable.jobsDirectory])
  ) { invocation in
    let (context, start) = (try invocation.context(), invocation.launch.start)
    let operands = context.parsed.operands
    guard operands.count == 2, let submission = Int(operands[1]) else {
      throw StintError(.usage, "stint link is for the scripts that stint submit makes.")
    }
    let key = try context.key(named: operands[0])
    let engine = context.engine(ofChain: key)
    guard let slice = engine.slice else {
      throw StintError(
        .usage,
        "stint link runs inside a Slurm array or a request that stint submit has made, and nowhere else."
      )
    }
    let sources = try TimeOptions(context.parsed, in: context.surroundings).sources()
    let patience = JobLock.Patience(duration: .nanoseconds(Int64.max), waitsForLiving: true) {
      SignalWatch.pendingOrWarned() != nil
        || sources.end(ofTripSince: start.launchedAt).map { $0.instant <= BootClock.now } ?? false
    }
    let setup = ChainLink.Setup(
      slice: slice, submission: context.submission(to: engine), catalog: context.catalog,
      life: LinkProcess(start.signals), places: context.places,
      durablePoints: context.durablePoints
    ) { complain($0) }
    exit(try ChainLink.run(key, submission: submission, patience: patience, setup))
  }
}

extension VerbContext {
  /// The folders and files that the words of submitted work name, as far as they can be read.
  fileprivate func places(_ launch: LaunchRecord) -> [(option: String, path: String)] {
    guard
      case .verb(_, let parsed)? = try? CommandLineRequest(
        arguments: launch.words, environment: [:], kinds: kinds)
    else { return [] }
    return SubmittedWork.places(in: parsed)
  }

  /// How much a job has durably, as a number that grows with each checkpoint and each line of a
  /// batch that ended.
  fileprivate func durablePoints(_ key: String) -> UInt64 {
    BatchLog.entries(in: catalog.path(of: key)).reduce(checkpoints(of: key)) { sum, entry in
      let hasEnded = [.finished, .failed].contains(entry.value.history)
      return sum + (hasEnded ? 1 : 0) + checkpoints(of: entry.key)
    }
  }

  private func checkpoints(of key: String) -> UInt64 {
    catalog.summary(of: key).journal.lastCheckpoint?.sequence ?? 0
  }
}
