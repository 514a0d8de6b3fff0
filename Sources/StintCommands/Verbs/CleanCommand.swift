import StintCore
import StintRuntime

extension Verb {
  /// `stint clean`.
  static let clean = Verb(
    showing: VerbSpecification(
      "clean", summary: "Remove finished jobs; their results stay",
      usage: ["clean [JOB...] [OPTIONS]"], operands: .any("JOB"),
      options: [
        OptionTable.all, OptionTable.cleanDryRun, OptionTable.json, OptionTable.jobsDirectory,
      ],
      exitStatuses: [.done, .usage, .unavailable, .io])
  ) { try CleanCommand(context: $0).run() }
}

/// `stint clean [JOB...]`: removes the directories of finished jobs.
struct CleanCommand {
  /// What becomes of one job.
  enum Decision: Hashable {
    case remove
    /// It stays, for a reason that is worth a sentence.
    case refuse(StintError)
    /// It stays, and nobody asked for it.
    case skip
  }

  /// What became of one job.
  private struct Outcome {
    var key: String
    var freedBytes = 0
    /// What is left of it.
    var notice: String?
    var error: StintError?
  }

  let context: VerbContext

  func run() throws -> VerbResult {
    let isNamed = !context.parsed.operands.isEmpty
    // All names are understood before anything is removed.
    let keys =
      isNamed
      ? try context.parsed.operands.map(context.key(named:)) : try context.catalog.keys()
    var outcomes: [Outcome] = []
    var seen: Set<String> = []
    for key in keys where seen.insert(key).inserted {
      let view = context.view(of: key)
      switch Self.decision(view, isNamed: isNamed, all: context.parsed.has("all")) {
      case .skip: break
      case .refuse(let error): outcomes.append(Outcome(key: key, error: error))
      case .remove: outcomes.append(remove(view))
      }
    }
    return report(outcomes)
  }

  /// What is to become of a job.
  ///
  /// - Parameters:
  ///   - view: The job.
  ///   - isNamed: Whether the command line names it.
  ///   - all: Whether unfinished and damaged jobs go too.
  /// - Returns: The decision; a removal still needs the lock.
  static func decision(_ view: JobView, isNamed: Bool, all: Bool) -> Decision {
    let isWanted = isNamed || all
    switch view.state {
    case .finished:
      return .remove
    case .running, .paused:
      let who = view.summary.holder.map { "process \($0.pid) on \($0.host)" } ?? "a process"
      let error = StintError(.busy, "\(view.key) is in use by \(who); stop it first.")
      return isWanted ? .refuse(error) : .skip
    case .waiting:
      // Nobody's work: whoever made it was ended before it was a job.
      if all || view.summary.isHalfMade { return .remove }
      let error = StintError(
        .usage, "\(view.key) is not finished; --all removes it, and its work is lost.")
      return isNamed ? .refuse(error) : .skip
    case .damaged:
      if all, !view.summary.isRunning { return .remove }
      let error = StintError(
        .usage,
        "\(view.key) cannot be read (\(view.summary.problem?.typed ?? "")); --all removes it.")
      return isNamed ? .refuse(error) : .skip
    case .unreadable:
      let why = view.summary.problem?.typed ?? ""
      let error = StintError(.io, "\(view.key) cannot be read now and stays: \(why).")
      return isWanted ? .refuse(error) : .skip
    case .foreign:
      let error = StintError(.unavailable, "\(view.key) belongs to another user and stays.")
      return isWanted ? .refuse(error) : .skip
    }
  }

  private func remove(_ view: JobView) -> Outcome {
    var outcome = Outcome(key: view.key)
    let bytes = context.catalog.freeableBytes(of: view.key)
    if context.parsed.has("dry-run") {
      outcome.freedBytes = bytes
      return outcome
    }
    do {
      if view.summary.isHalfMade {
        outcome.notice = try context.catalog.removeHalfMade(view.key)
      } else if view.state == .finished, !context.parsed.has("all") {
        outcome.notice = try context.catalog.removeFinished(view.key)
      } else {
        outcome.notice = try context.catalog.remove(view.key)
      }
      outcome.freedBytes = bytes
    } catch {
      outcome.error = error
    }
    return outcome
  }

  private func report(_ outcomes: [Outcome]) -> VerbResult {
    var result = VerbResult()
    let removed = outcomes.filter { $0.error == nil }
    let errors = outcomes.compactMap(\.error)
    let isDryRun = context.parsed.has("dry-run")
    let freed = removed.reduce(0) { $0 + $1.freedBytes }
    result.messages = outcomes.compactMap { $0.error?.typed ?? $0.notice }
    // The gravest: what failed before what was refused.
    result.exitStatus = errors.map(ExitStatus.of).max() ?? ExitStatus.finished
    if context.wantsJSON {
      var json = JSONLine()
      json.add("dryRun", isTrue: isDryRun)
      json.add("freedBytes", freed)
      json.add("jobs", objects: outcomes.map(Self.json))
      result.output = json.line
      return result
    }
    let verb = isDryRun ? "Would remove" : "Removed"
    for outcome in removed {
      result.output += "\(verb) \(outcome.key), \(ReportText.grouped(outcome.freedBytes)) bytes.\n"
    }
    if removed.count != 1, !(removed.isEmpty && !errors.isEmpty) {
      let jobs = "\(removed.count) job\(removed.count == 1 ? "" : "s")"
      result.output += "\(verb) \(jobs), \(ReportText.grouped(freed)) bytes in all.\n"
    }
    return result
  }

  private static func json(_ outcome: Outcome) -> JSONLine {
    var json = JSONLine()
    json.add("job", outcome.key)
    json.add("removed", isTrue: outcome.error == nil)
    json.add("freedBytes", outcome.freedBytes)
    json.add("error", outcome.error?.typed)
    return json
  }
}
