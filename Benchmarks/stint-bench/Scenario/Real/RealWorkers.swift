import Foundation
import Stint
import StintCore
import StintScenarios

/// Who works on the real clock.
enum RealWorker: Hashable {
  /// Stint's worker on the scenario's synthetic chunks.
  case stint
  /// A worker on the same that decides by a rule of the literature.
  case rule(StrategyName)
  /// A hand-written worker on the same, with a fault or without one.
  case planted(WorkerFault?)
  /// A program of the `stint` family, whose job is read from its folder.
  case program(name: String, words: [String])
  /// Any command.
  case command(RealCommand)

  /// The name in reports.
  var name: String {
    switch self {
    case .stint: StrategyName.stint.rawValue
    case .rule(let name): name.rawValue
    case .planted(let fault): fault?.rawValue ?? SelfCheck.Subject.honest.name
    case .program(let name, _): name
    case .command(let command): command.name.isEmpty ? "command" : command.name
    }
  }

  /// The name for people.
  var title: String {
    switch self {
    case .stint: StrategyName.stint.title
    case .rule(let name): name.title
    case .planted(let fault):
      fault.map { "planted: " + $0.title } ?? SelfCheck.Subject.honest.title
    case .program(let name, _): "stint run \(name)"
    case .command(let command): command.title
    }
  }

  /// Whether its reports come by a clock.
  var isTicking: Bool {
    switch self {
    case .stint, .program: true
    case .rule, .planted, .command: false
    }
  }

  /// Whether it decides by a rule of the literature.
  var isRule: Bool {
    if case .rule = self { true } else { false }
  }

  /// Whether it says itself, in its folder, what work it has saved.
  var saysItsWork: Bool {
    if case .command(let command) = self { command.checkpoint == nil } else { false }
  }

  /// Whether its reports tell a share of a work whose whole is known.
  var isSynthetic: Bool {
    switch self {
    case .stint, .rule, .planted: true
    case .program, .command: false
    }
  }
}

/// One worker's job through all trips of a repeat, in a folder of its own.
struct RealLife {
  let worker: RealWorker
  let plan: RealPlan
  let repetition: Int
  let signals: SignalDescriptor
  let samples: Int
  /// Where checkpoints are written.
  let directory: String?
  /// Told of the budget, from 1, in which a job was finished, and of how much of it was used.
  var finished: (Int, Double) -> Void = { _, _ in }

  private static let leastTick = 0.01
  /// What `stint run` takes.
  private static let leastTickOfPrograms = 0.05
  private static let mostTick = 0.5

  /// So often a worker reports.
  private var tick: Nanoseconds {
    let share = plan.scenario.trace.meanGrantSeconds / 40
    let least = worker.isSynthetic ? Self.leastTick : Self.leastTickOfPrograms
    return Nanoseconds(seconds: min(Self.mostTick, max(least, share)))
  }

  /// The size of a checkpoint that is expected to take as long as the scenario's.
  private var checkpointBytes: Int {
    let policy = WorkPolicy()
    let seconds = plan.scenario.workload.checkpoint.mean
    return max(1_024, min(1 << 28, Int(seconds * policy.expectedBytesPerSecond)))
  }

  /// Lives all trips of the repeat.
  func record() throws -> RealRecord {
    let scratch = try ScratchDirectory(below: directory)
    let own = Self.folder(in: scratch.path)
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let trips = plan.trips(repetition)
    let total =
      max(
        Nanoseconds(seconds: plan.scenario.workSeconds),
        trips.reduce(0) { $0 + $1.grant }) * 4
    // A program knows when its job is finished, whatever the scenario's would be.
    let work = worker.isSynthetic ? plan.scenario.workSeconds : nil
    var record = RealRecord(workSeconds: work, samples: samples)
    var preset: SystemPolicy?
    // What a preset says of handlers is between Stint and its system; the literature knows none.
    if case .policy(let policy) = plan.scenario.trace.grant, !worker.isRule { preset = policy }
    let supervision = RealSupervision(
      signals: signals, preset: preset, warnsAsDrawn: worker.isRule)
    for trip in trips {
      if trip.isDenied {
        record.add(.denied(trip, durableBefore: record.durable))
        continue
      }
      let lived = try live(
        trip, total: total, in: scratch.path, supervision, before: record)
      record.add(lived)
      if lived.isFinished {
        // Nothing is left to be measured.
        finished(trip.number + 1, lived.endedAt.seconds)
        break
      }
    }
    return record
  }

  private func live(
    _ trip: Trip, total: Nanoseconds, in folder: String, _ supervision: RealSupervision,
    before: RealRecord
  ) throws -> RealTrip {
    let jobs = folder + "/jobs"
    let events = folder + "/events-\(trip.number).jsonl"
    let launchedAt = BootClock.now
    let command = try command(
      trip, total: total, folder: folder, jobs: jobs, events: events, launchedAt: launchedAt)
    let own = CommandFolder(path: Self.folder(in: folder))
    var files = CommandFiles()
    if case .command(let command) = worker {
      files.checkpoint = command.checkpointFile(in: own.path)
    }
    let saysItsWork = worker.saysItsWork
    let inTime = Protected<[RealTrip.Generation]?>(nil)
    let reading = DispatchGroup()
    var supervision = supervision
    supervision.deadlinePassed = {
      // On a thread of its own: a kill does not wait for a disk. What cannot be read, because it is
      // being replaced, was not durable by then.
      DispatchQueue.global().async(group: reading) {
        let found =
          saysItsWork
          ? own.generation(since: launchedAt).map { [$0] }
          : try? DiskReading.generations(in: jobs, since: launchedAt)
        inTime.withLock { $0 = (found ?? []).filter { $0.namedAt <= trip.deadline } }
      }
    }
    let seen = try supervision.live(trip, command, files: files, launchedAt: launchedAt)
    reading.wait()
    if case .failed(let status)? = seen.outcome {
      throw StintError(.unavailable, "\(worker.title) failed with status \(status).")
    }
    var real = RealTrip(
      plan: trip, beganAt: seen.beganAt.nanoseconds, durableBefore: before.durable,
      tick: worker.isTicking ? tick : 0, end: seen.end, endedAt: seen.endedAt)
    real.creditedBefore = before.credited
    real.ledger = seen.ledger
    real.totalWork = worker.isSynthetic ? total : nil
    if let bytes = FileManager.default.contents(atPath: events) {
      real.lines = EventLine.lines(of: bytes)
    }
    if saysItsWork {
      real.lines = own.lines(since: launchedAt)
      real.changes = seen.changes.count
      real.saysItsWork = true
      // One that cannot be read any more holds nothing, whatever was there before.
      real.generations = [
        own.generation(since: launchedAt)
          ?? RealTrip.Generation(sequence: 0, work: 0, namedAt: -1)
      ]
    } else if case .command = worker {
      real.generations = Self.generations(seen.changes, before: before.durable)
      inTime.withLock { found in
        found = found.map { _ in real.generations.filter { $0.namedAt <= trip.deadline } }
      }
    } else {
      real.generations = try DiskReading.generations(in: jobs, since: seen.beganAt)
      real.finishedWork = try DiskReading.finishedWork(in: jobs)
    }
    real.durableInTime = inTime.withLock { $0 }.map { $0.map(\.work).max() ?? before.durable }
    real.isFinished = seen.outcome == .finished
    return real
  }

  /// The folder of a command, which it may use as it likes.
  private static func folder(in scratch: String) -> String { scratch + "/folder" }

  /// What a checkpoint file holds is the time that the command ran until it was written.
  private static func generations(
    _ changes: [(at: Nanoseconds, work: Nanoseconds)], before: Nanoseconds
  ) -> [RealTrip.Generation] {
    var work = before
    return changes.enumerated().map { index, change in
      work += change.work
      return RealTrip.Generation(sequence: UInt64(index + 1), work: work, namedAt: change.at)
    }
  }

  private func command(
    _ trip: Trip, total: Nanoseconds, folder: String, jobs: String, events: String,
    launchedAt: Instant
  ) throws -> CommandSpecification {
    switch worker {
    case .stint, .rule, .planted:
      let knowledge = plan.knowledge
      let child = RealChild(
        worker: worker.name, workload: plan.scenario.workload, seed: plan.seed,
        repetition: repetition, trip: trip.number, grant: trip.grant,
        launchedAt: launchedAt.nanoseconds,
        meanTimeBetweenFailures: knowledge.meanTimeBetweenFailures,
        everySeconds: knowledge.everySeconds, total: total,
        checkpointBytes: checkpointBytes, tick: tick, jobs: jobs, events: events)
      return CommandSpecification([try ChildProcess.ownPath()] + child.arguments)
    case .program(_, let words):
      var line = [try ChildProcess.sibling("stint"), "run"] + words
      if words[0] == "image" {
        line.insert(jobs + "-result.png", at: 4)
      } else {
        line += ["--output", jobs + "-result"]
      }
      let interval = Duration.nanoseconds(tick).compactText
      // Kept, or a finished job would have nothing left to be read.
      line += ["--jobs-dir", jobs, "--events", events, "--quiet", "--keep", "--tick", interval]
      return CommandSpecification(line)
    case .command(let command):
      return CommandSpecification(command.words(for: trip, in: Self.folder(in: folder)))
    }
  }
}
