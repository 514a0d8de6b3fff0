import Dispatch
import Foundation
import Stint
import StintCore
import Testing

/// Workers and jobs that share a process.
@Suite("Jobs in one process", .timeLimit(.minutes(5)))
struct JobInProcessTests {
  private let folder = WorkFolder()

  @Test("C6 a job whose stint is over is opened again at once, however its last worker is held")
  func reopened() async throws {
    let application = try makeApplication()
    let cuts = [3, 7].map { Cut(at: $0, of: application) }
    let steps = Steps(path: folder.path) { step in cuts.contains { $0(step) } }
    var held: [Worker<Steps>] = []
    var results: [StintResult] = []
    repeat {
      let worker = steps.worker(try steps.job(), in: application)
      results.append(try await worker.runStint())
      held.append(worker)
    } while results.last == .unfinished
    #expect(results == [.unfinished, .unfinished, .finished])
    #expect(folder.text("f") == "12\n")
    // Ended for good: the same holds.
    #expect(try steps.job().isFinished)
    #expect(held.count == 3)
  }

  @Test("W7 a worker that rests gives its job back, and goes on with it")
  func rests() async throws {
    let application = try makeApplication()
    let cut = Cut(at: 3, of: application)
    let steps = Steps(path: folder.path) { cut($0) }
    let worker = steps.worker(try steps.job(), in: application)
    #expect(try await worker.runStint() == .unfinished)
    do { _ = try steps.job() }
    #expect(try await worker.runStint() == .finished)
    #expect(folder.text("f") == "12\n")
  }

  @Test("W6 a worker that rests is kept alive by nobody but the program")
  func dropped() async throws {
    let application = try makeApplication()
    let cut = Cut(at: 3, of: application)
    let steps = Steps(path: folder.path) { cut($0) }
    weak var dropped: Worker<Steps>?
    do {
      let worker = steps.worker(try steps.job(), in: application)
      dropped = worker
      #expect(try await worker.runStint() == .unfinished)
    }
    await eventually { dropped == nil }
  }

  @Test("C6 a chunk that was told to give up and still runs keeps its job from others")
  func stillRunning() async throws {
    let application = try makeApplication()
    let leave = DispatchSemaphore(value: 0)
    let isFirst = Protected(true)
    let steps = Steps(path: folder.path) { step in
      if step == 3, isFirst.withLock({ exchange(&$0, with: false) }) {
        application.driver.revoke()
        leave.wait()
      }
      return false
    }
    let worker = steps.worker(
      try steps.job(), in: application, waitsForGivenUpChunk: false)
    #expect(try await worker.runStint() == .unfinished)
    #expect { try steps.job() } throws: { ($0 as? StintError)?.code == .busy }
    leave.signal()
    await eventually { (try? steps.job()) != nil }
  }

  @Test("W7 a first stint that several threads ask for is one stint")
  func concurrentFirstStint() async throws {
    for round in 0..<20 {
      let application = try makeApplication()
      let steps = Steps(path: folder.path, name: "c\(round)")
      let worker = steps.worker(try steps.job(), in: application)
      let results = try await withThrowingTaskGroup { group in
        for _ in 0..<4 { group.addTask { try await worker.runStint() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results == Array(repeating: .finished, count: 4))
    }
  }

  @Test("C6 two workers cannot work on one job object")
  func twoWorkers() async throws {
    let application = try makeApplication()
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let leave = DispatchSemaphore(value: 0)
    let steps = Steps(path: folder.path) { step in
      if step == 3 {
        reach.finish()
        leave.wait()
      }
      return false
    }
    let job = try steps.job()
    let first = steps.worker(job, in: application)
    async let result = first.runStint()
    for await _ in reached {}
    let second = steps.worker(job, in: application)
    await #expect { try await second.runStint() } throws: {
      ($0 as? StintError)?.code == .busy
    }
    leave.signal()
    #expect(try await result == .finished)
  }

  @Test("C6 a closed job is free for another; closing it again does nothing")
  func closed() async throws {
    let steps = Steps(path: folder.path)
    let job = try steps.job()
    try job.materialize()
    #expect { try steps.job() } throws: { ($0 as? StintError)?.code == .busy }
    job.close()
    job.close()
    #expect(job.isMaterialized)
    let other = try steps.job()
    try other.materialize()
    let progress = WorkProgress(fraction: 0, phase: "none")
    let uses: [() throws -> Void] = [
      { try job.materialize() }, { try job.removeCheckpoints() },
      { _ = try job.restore { _ in } }, { _ = try job.workspace.partialFile(named: "a") },
      { _ = try job.commit(CheckpointPayload(), workTime: .zero, progress: progress) },
    ]
    for use in uses {
      #expect { try use() } throws: { ($0 as? StintError)?.code == .usage }
    }
    let worker = steps.worker(job, in: try makeApplication())
    await #expect { try await worker.runStint() } throws: {
      ($0 as? StintError)?.code == .usage
    }
    #expect(other.isMaterialized)
  }

  @Test("C6 closed while a worker runs, a job is given up when that one rests")
  func closedInStint() async throws {
    let application = try makeApplication()
    let cut = Cut(at: 3, of: application)
    let late = Protected<Job?>(nil)
    let steps = Steps(path: folder.path) { step in
      if step == 2 { late.withLock { $0 }?.close() }
      return cut(step)
    }
    let job = try steps.job()
    late.withLock { $0 = job }
    let worker = steps.worker(job, in: application)
    #expect(try await worker.runStint() == .unfinished)
    await #expect { try await worker.runStint() } throws: {
      ($0 as? StintError)?.code == .usage
    }
    let next = steps.worker(try steps.job(), in: application)
    #expect(try await next.runStint() == .finished)
  }

  @Test("a thousand jobs that are opened, and stints that are run, leave no descriptor open")
  func descriptors() async throws {
    let application = try makeApplication()
    let path = folder.path
    @Sendable func open() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
      }.filter { $0.hasPrefix(path) }
    }
    let steps = Steps(path: path)
    for round in 0..<1_000 {
      let job = try steps.job()
      try job.materialize()
      if round.isMultiple(of: 2) { job.close() }
    }
    #expect(try open() == [])
    for round in 0..<20 {
      let cut = Cut(at: 3, of: application)
      let steps = Steps(path: path, name: "g\(round)") { cut($0) }
      for expected in [StintResult.unfinished, .finished] {
        let worker = steps.worker(try steps.job(), in: application)
        #expect(try await worker.runStint() == expected)
      }
    }
    try await eventually { try open() == [] }
  }

  @Test("A9 two workers of one application share each trip, however often they go on")
  func sharedTrip() async throws {
    let application = try makeApplication()
    let trips = TripCount()
    application.driver.add(trips)
    // Both are cut in the first trip, and finish in the second, in which each waits for the other.
    let arrived = Protected(0)
    let workers = try ["a", "b"].map { name in
      let isFirst = Protected(true)
      let steps = Steps(path: folder.path, name: name) { step in
        guard step == 3 else { return false }
        let isFirst = isFirst.withLock { exchange(&$0, with: false) }
        let count = arrived.withLock { arrived in
          arrived += 1
          return arrived
        }
        if isFirst {
          if count == 2 { application.driver.revoke() }
        } else {
          for _ in 0..<10_000 where arrived.withLock({ $0 }) < 4 { usleep(1_000) }
        }
        return isFirst
      }
      return steps.worker(try steps.job(), in: application)
    }
    await withTaskGroup { group in
      for worker in workers {
        group.addTask {
          do {
            while try await worker.runStint() == .unfinished {}
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(folder.text("a") == "12\n")
    #expect(folder.text("b") == "12\n")
    #expect(trips.count == 2)
  }

  @Test("A9 a worker does not begin a second stint in a trip that something else still holds")
  func oneStintInATrip() async throws {
    let application = try makeApplication()
    let trips = TripCount()
    application.driver.add(trips)
    // From some step on the next one does not fit before its deadline.
    let isLong = Protected(false)
    var steps = Steps(path: folder.path) { step in
      isLong.withLock { $0 = step == 3 }
      return false
    }
    steps.cost = { isLong.withLock { $0 } ? 1e12 : 1 }
    let other = application.beginTask(named: "other") { (_: Expiry) in }
    // What does not fit is not tried again.
    let worker = steps.worker(try steps.job(), in: application, doubtedShare: 1)
    #expect(try await worker.runStint() == .unfinished)
    async let second = worker.runStint()
    // In a trip that goes on it waits for the next one.
    for _ in 0..<20 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(trips.count == 1)
    #expect(worker.phase == .parked(.didNotFit))
    application.endTask(other.identifier)
    #expect(try await second == .unfinished)
    // The count may be told after what is done in the trip.
    await eventually { trips.count > 1 }
    #expect(trips.count == 2)
  }

  @Test("C3 the checkpoints of a finished job go, unless they are to be kept")
  func checkpoints() async throws {
    for keeps in [false, true] {
      let application = try makeApplication()
      let cut = Cut(at: 3, of: application)
      let steps = Steps(path: folder.path, name: "\(keeps)") { cut($0) }
      var results: [StintResult] = []
      while results.last != .finished {
        let worker = steps.worker(
          try steps.job { $0.keepsCheckpoints = keeps }, in: application)
        results.append(try await worker.runStint())
        #expect(!folder.checkpoints.isEmpty == (results.last == .unfinished || keeps))
      }
      #expect(results.count == 2)
    }
    // A job that was finished with its checkpoints loses them when it is run again.
    let steps = Steps(path: folder.path, name: "true")
    let worker = steps.worker(try steps.job(), in: try makeApplication())
    #expect(try await worker.runStint() == .finished)
    #expect(folder.checkpoints.isEmpty)
  }

  @Test("W9 a result that was deleted is made again")
  func deletedResult() async throws {
    for keeps in [false, true] {
      let steps = Steps(path: folder.path, name: "\(keeps)")
      for _ in 0..<2 {
        let application = try makeApplication()
        let job = try steps.job { $0.keepsCheckpoints = keeps }
        #expect(!job.isFinished)
        #expect(try await steps.worker(job, in: application).runStint() == .finished)
        #expect(folder.text(steps.name) == "12\n")
        #expect(job.isFinished)
        try FileManager.default.removeItem(atPath: folder.path + "/" + steps.name)
      }
    }
  }

  private struct OwnError: Error, Equatable {
    var number: Int
  }

  @Test("the error that a computation throws is kept")
  func underlying() async throws {
    let steps = Steps(path: folder.path) { step in
      if step == 3 { throw OwnError(number: 7) }
      return false
    }
    let worker = steps.worker(try steps.job(), in: try makeApplication())
    let error = await #expect(throws: StintError.self) { try await worker.runStint() }
    #expect(error?.underlying as? OwnError == OwnError(number: 7))
    guard case .failed(let outcome) = await worker.outcome() else {
      Issue.record("the worker has not failed")
      return
    }
    #expect(outcome.underlying as? OwnError == OwnError(number: 7))
    #expect(outcome == error)
  }

  @Test("W10 reports count the stints of the job, over all processes")
  func stintNumbers() async throws {
    let application = try makeApplication()
    let cuts = [3, 7].map { Cut(at: $0, of: application) }
    let steps = Steps(path: folder.path) { step in cuts.contains { $0(step) } }
    var numbers: [Int] = []
    for _ in 0..<3 {
      let worker = steps.worker(try steps.job(), in: application)
      _ = try await worker.runStint()
      numbers.append(worker.statusReport()?.stint ?? 0)
    }
    #expect(numbers == [1, 2, 3])
  }

  @Test("a relative output path is taken from the folder in which the job is opened")
  func relativePath() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = WorkFolder()
      guard chdir(folder.path) == 0, mkdir("d", 0o700) == 0 else { exit(3) }
      let steps = Steps(path: folder.path)
      let paths = try ["f", "./f", "d/../f"].map { name in
        try steps.job { $0.outputPath = name }.path
      }
      guard chdir("d") == 0 else { exit(4) }
      let below = try steps.job { $0.outputPath = "../f" }.path
      let elsewhere = try steps.job { $0.outputPath = "f" }.path
      let real = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
      let absolute = try steps.job { $0.outputPath = real + "/f" }.path
      guard Set(paths + [below, absolute]).count == 1, elsewhere != absolute else { exit(5) }
      for wrong in ["", ".", "d/..", "e/f"] {
        guard (try? steps.job { $0.outputPath = wrong }) == nil else { exit(6) }
      }
      exit(0)
    }
  }
}

/// Counts the trips of an application.
private final class TripCount: SystemObserver {
  private let trips = Protected(0)
  var count: Int { trips.withLock { $0 } }

  func systemDid(_ event: SystemEvent) {
    if event == .stateChanged(.background) { trips.withLock { $0 += 1 } }
  }
}
