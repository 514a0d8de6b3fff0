import Foundation
import Glibc
import Stint
import StintCore
import Testing

/// What becomes of a job between two stints of a worker.
@Suite("A job that workers hand to each other", .timeLimit(.minutes(5)))
struct JobHandoverTests {
  private let folder = WorkFolder()

  @Test("C6 a worker that rested is refused if another one has run the job since")
  func overtaken() async throws {
    let application = try makeApplication()
    let cuts = [3, 7].map { Cut(at: $0, of: application) }
    let steps = Steps(path: folder.path) { step in cuts.contains { $0(step) } }
    let first = steps.worker(try steps.job(), in: application)
    #expect(try await first.runStint() == .unfinished)
    let second = steps.worker(try steps.job(), in: application)
    #expect(try await second.runStint() == .unfinished)
    await #expect(throws: StintError.self) { try await first.runStint() }
    guard case .failed(let error) = await first.outcome() else {
      Issue.record("the first worker has not failed")
      return
    }
    #expect(error.code == .busy)
    #expect(try await second.runStint() == .finished)
    #expect(folder.text("f") == "12\n")
  }

  @Test("C6 a worker that rested is refused if another one has started the job over since")
  func startedOver() async throws {
    for works in [true, false] {
      let application = try makeApplication()
      let cuts = [3, 7].map { Cut(at: $0, of: application) }
      let steps = Steps(path: folder.path, name: "\(works)") { step in cuts.contains { $0(step) } }
      let first = steps.worker(try steps.job(), in: application)
      #expect(try await first.runStint() == .unfinished)
      if works {
        let second = steps.worker(try steps.job { $0.startsOver = true }, in: application)
        #expect(try await second.runStint() == .unfinished)
      } else {
        _ = try steps.job { $0.startsOver = true }
      }
      await #expect(throws: StintError.self) { try await first.runStint() }
      #expect(folder.text(steps.name) == nil)
      // What the other one saved is there.
      let third = steps.worker(try steps.job(), in: application)
      #expect(third.statusReport() == nil)
      var result = try await third.runStint()
      if result == .unfinished { result = try await third.runStint() }
      #expect(result == .finished)
      #expect(folder.text(steps.name) == "12\n")
    }
  }

  @Test("C6 a job is given back before its stint is told, though a chunk sees the flag late")
  func lateChunk() async throws {
    for round in 0..<5 {
      let application = try makeApplication()
      let isFirst = Protected(true)
      let steps = Steps(path: folder.path, name: "l\(round)") { step in
        guard step == 3, isFirst.withLock({ exchange(&$0, with: false) }) else { return false }
        application.driver.revoke()
        usleep(40_000)
        return true
      }
      let worker = steps.worker(try steps.job(), in: application, waitsForGivenUpChunk: false)
      #expect(try await worker.runStint() == .unfinished)
      #expect(throws: Never.self) { try steps.job() }
    }
  }
}
