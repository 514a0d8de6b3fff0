import StintCore
import StintRuntime

extension Verb {
  static let clean = Verb(
    showing: VerbSpecification(
      "clean", summary: "Remove finished jobs and requests; their results stay",
      usage: ["clean [JOB...] [OPTIONS]"], operands: .any("JOB"),
      options: [
        OptionTable.all, OptionTable.cleanDryRun, OptionTable.json, OptionTable.jobsDirectory,
      ],
      exitStatuses: [.done, .usage, .unavailable, .io])
  ) { try CleanCommand(context: $0).run() }
}

/// `stint clean [JOB...]`: removes the directories of finished jobs.
struct CleanCommand {
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
    var isRequest = false
    var freedBytes = 0
    /// What is left of it.
    var notice: String?
    var error: StintError?
  }

  let context: VerbContext

  func run() throws -> VerbResult {
    let isNamed = !context.parsed.operands.isEmpty
    // All names are understood before anything is removed.
    let (keys, requests) = try isNamed ? named() : (context.catalog.keys(), context.queue.ids())
    var outcomes: [Outcome] = []
    let awaited = awaited()
    var seen: Set<String> = []
    for key in keys where seen.insert(key).inserted {
      if awaited.contains(key) {
        if isNamed { outcomes.append(Outcome(key: key, error: Self.isAwaited(key))) }
        continue
      }
      let view = context.view(of: key)
      if view.state != .finished, context.parsed.has("all") || isNamed, let owner = owner(of: key) {
        let who = owner == key ? "\(key) is" : "\(key) is the work of \(owner), which is"
        let error = StintError(
          .busy, "\(who) in the hands of \(context.engine(ofChain: owner).title); stop it first.")
        outcomes.append(Outcome(key: key, error: error))
        continue
      }
      switch Self.decision(view, isNamed: isNamed, all: context.parsed.has("all")) {
      case .skip: break
      case .refuse(let error): outcomes.append(Outcome(key: key, error: error))
      case .remove: outcomes.append(remove(view))
      }
    }
    for id in requests {
      if awaited.contains(id) {
        if isNamed { outcomes.append(Outcome(key: id, error: Self.isAwaited("request \(id)"))) }
      } else {
        outcomes += clean(request: id, isNamed: isNamed)
      }
    }
    return report(outcomes)
  }

  /// The requests and jobs for which a request waits that is not over, by number and key.
  private func awaited() -> Set<String> {
    let requests = ((try? context.queue.ids()) ?? []).compactMap {
      (try? context.queue.read($0)) ?? nil
    }
    var awaited = Set(requests.filter { !$0.standing.isOver }.compactMap(\.terms.afterJob))
    for request in requests where awaited.contains(request.id) {
      if case .chain(let key) = request.terms.work { awaited.insert(key) }
    }
    return awaited
  }

  private static func isAwaited(_ what: String) -> StintError {
    StintError(.busy, "\(what) is what a request waits for (--after-job); stop that one first.")
  }

  /// The jobs and the requests that the command line names.
  private func named() throws -> (keys: [String], requests: [String]) {
    let known = try context.catalog.keys()
    var (keys, requests): ([String], [String]) = ([], [])
    for name in context.parsed.operands {
      let request = known.contains(name) ? nil : try context.request(named: name)
      if let request, context.chainKey(of: request, among: known) == nil {
        requests.append(request.id)
      } else {
        keys.append(try context.key(named: name))
      }
    }
    return (keys, requests)
  }

  /// Removes a request that is over, of a chain only if that is gone or has another one.
  private func clean(request id: String, isNamed: Bool) -> [Outcome] {
    do throws(StintError) {
      guard let request = try context.queue.read(id) else { return [] }
      let isAll = context.parsed.has("all")
      if case .chain(let key) = request.terms.work {
        let chain = (try? context.catalog.chain(key)) ?? nil
        if chain?.array == id || !request.standing.isOver && chain != nil { return [] }
      } else if !request.standing.isOver {
        let error = StintError(.busy, "request \(id) is not over; stop it first.")
        return isNamed || isAll ? [Outcome(key: id, error: error)] : []
      } else if request.standing.state != .done, !isNamed, !isAll {
        // Somebody may want to see why.
        return []
      }
      var outcome = Outcome(key: id, isRequest: true)
      if context.parsed.has("dry-run") { return [outcome] }
      if try !context.queue.remove(id) {
        outcome.error = StintError(.busy, "request \(id) is in use.")
      }
      return [outcome]
    } catch {
      return [Outcome(key: id, error: error)]
    }
  }

  /// The chain or the array of chains whose slices need a job, if more of them are to come.
  private func owner(of key: String) -> String? {
    if let array = context.catalog.arrayOfChains(key) {
      return context.catalog.goesOn(key, array) ? key : nil
    }
    return context.chain(of: key).flatMap { $0.goesOn ? $0.key : nil }
  }

  /// What is to become of a job that the command line names or not; unfinished and damaged ones go
  /// with `--all`.
  ///
  /// A removal still needs the lock.
  static func decision(_ view: JobView, isNamed: Bool, all: Bool) -> Decision {
    let problem = view.summary.problem?.typed ?? ""
    func refuse(_ code: StintError.Code, _ why: String, if isAsked: Bool) -> Decision {
      isAsked ? .refuse(StintError(code, "\(view.key) \(why)")) : .skip
    }
    switch view.state {
    case .finished:
      return .remove
    case .running, .paused:
      let who = view.summary.holder.map { "process \($0.pid) on \($0.host)" } ?? "a process"
      return refuse(.busy, "is in use by \(who); stop it first.", if: isNamed || all)
    case .waiting, .failed:
      // Nobody's work: whoever made it was ended before it was a job.
      if all || view.summary.isHalfMade { return .remove }
      return refuse(.usage, "is not finished; --all removes it, and its work is lost.", if: isNamed)
    case .damaged:
      if all, !view.summary.isRunning { return .remove }
      return refuse(.usage, "cannot be read (\(problem)); --all removes it.", if: isNamed)
    case .unreadable:
      return refuse(.io, "cannot be read now and stays: \(problem).", if: isNamed || all)
    case .foreign:
      return refuse(.unavailable, "belongs to another user and stays.", if: isNamed || all)
    }
  }

  private func remove(_ view: JobView) -> Outcome {
    var outcome = Outcome(
      key: view.key, freedBytes: context.catalog.freeableBytes(of: view.key))
    if context.parsed.has("dry-run") { return outcome }
    do {
      if view.summary.isHalfMade {
        outcome.notice = try context.catalog.removeHalfMade(view.key)
      } else if view.state == .finished, !context.parsed.has("all") {
        outcome.notice = try context.catalog.removeFinished(view.key)
      } else {
        outcome.notice = try context.catalog.remove(view.key)
      }
      return outcome
    } catch {
      return Outcome(key: view.key, error: error)
    }
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
    for outcome in removed where outcome.isRequest {
      result.output += "\(verb) request \(outcome.key).\n"
    }
    for outcome in removed where !outcome.isRequest {
      result.output += "\(verb) \(outcome.key), \(ReportText.grouped(outcome.freedBytes)) bytes.\n"
    }
    let count = removed.count { !$0.isRequest }
    if removed.count != 1, !(removed.isEmpty && !errors.isEmpty) {
      let jobs = ReportText.count(count, "job")
      result.output += "\(verb) \(jobs), \(ReportText.grouped(freed)) bytes in all.\n"
    }
    return result
  }

  private static func json(_ outcome: Outcome) -> JSONLine {
    var json = JSONLine()
    json.add(outcome.isRequest ? "request" : "job", outcome.key)
    json.add("removed", isTrue: outcome.error == nil)
    json.add("freedBytes", outcome.freedBytes)
    json.add("error", outcome.error?.typed)
    return json
  }
}
