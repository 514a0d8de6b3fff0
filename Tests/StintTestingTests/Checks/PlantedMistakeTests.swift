import Stint
import Testing

@testable import StintTesting

/// Each mistake of an embedder must be found by a check with its defaults, in words that name it.
@Suite("Planted mistakes of embedders")
@MainActor
struct PlantedMistakeTests {
  private func finding(_ check: () throws -> Void) throws -> String {
    let failure = try #require(#expect(throws: CheckFailure.self) { try check() })
    return failure.finding
  }

  @Test("W8 W9 W4 C1 the computation without a mistake passes every check")
  func honest() throws {
    let tally = Tally()
    try expectSameResult(of: tally) { tally.delivered.withLock { $0 } }
    try expectSameResult(of: tally)
    try expectEndsBeforeDeadline(of: tally)
    try expectCheckpointSurvives(of: tally)
    #expect(tally.delivered.withLock { $0 } == Array("45150 90000\n".utf8))
  }

  nonisolated static let ofResults: [(Tally.Mistake, String)] = [
    (.forgetsProperty, "the state that is decoded differs"),
    (.wrongAtBoundary, "the final state differs"),
    (.appendsTwice, "the partial file numbers differs"),
    (.ignoresLimit, "ignores atMost"),
    (.hidesCost, "the outlook's remaining cost fell"),
    (.costsTenfold, "was asked to cost at most"),
    (.costsTenth, "the outlook's remaining cost fell"),
    (.costsNothing, "every chunk costs something"),
    (.costsNaN, "every chunk costs something"),
    (.fallsBack, "let the progress fall"),
    (.givesUp, "its stop flag was not raised"),
    (.doesNotWait, "power fails, and the file result"),
    (.oneChunk, "nothing was tested"),
    (.twoChunks, "nothing was tested"),
  ]

  @Test("W8 W9 W14 expectSameResult finds it without an output", arguments: ofResults)
  func sameResult(mistake: Tally.Mistake, words: String) throws {
    let found = try finding { try expectSameResult(of: Tally(mistake: mistake)) }
    #expect(found.contains(words), "\(found)")
  }

  @Test("W9 expectSameResult finds an output that is appended twice")
  func output() throws {
    let tally = Tally(mistake: .finishesTwice)
    let found = try finding {
      try expectSameResult(of: tally) { tally.delivered.withLock { $0 } }
    }
    #expect(found.contains("finish is called again, and the result is another one"), "\(found)")
    #expect(found.contains("the output differs"), "\(found)")
  }

  nonisolated static let ofDeadlines: [(Tally.Mistake, String)] = [
    (.deaf, "the stop flag of a chunk was up"),
    (.ignoresLimit, "ignores atMost"),
    (.hidesCost, "the outlook's remaining cost fell"),
    (.costsTenfold, "was asked to cost at most"),
    (.costsTenth, "the outlook's remaining cost fell"),
    (.costsNothing, "every chunk costs something"),
    (.costsNaN, "every chunk costs something"),
  ]

  @Test("W4 W2 expectEndsBeforeDeadline finds it", arguments: ofDeadlines)
  func deadline(mistake: Tally.Mistake, words: String) throws {
    let found = try finding { try expectEndsBeforeDeadline(of: Tally(mistake: mistake)) }
    #expect(found.contains(words), "\(found)")
  }

  @Test(
    "C1 expectCheckpointSurvives finds it, and ends",
    arguments: [
      (Tally.Mistake.standsStill, "comes to no end"), (.throwsError, "OwnError"),
    ])
  func checkpoint(mistake: Tally.Mistake, words: String) throws {
    let found = try finding { try expectCheckpointSurvives(of: Tally(mistake: mistake)) }
    #expect(found.contains(words), "\(found)")
    let other = try finding { try expectEndsBeforeDeadline(of: Tally(mistake: mistake)) }
    #expect(other.contains(words), "\(other)")
  }

  @Test("W4 a promise of any number of bytes is no trap", arguments: [Int.max, .min])
  func promisedBytes(bytes: Int) throws {
    var tally = Tally(mistake: .endlessCheckpoints)
    tally.promisedBytes = bytes
    // It is a mistake, or none: each check comes to its end.
    var ended = 0
    for check in [
      { try expectCheckpointSurvives(of: tally) }, { try expectSameResult(of: tally) },
    ] as [@MainActor () throws -> Void] {
      do {
        try check()
        ended += 1
      } catch is CheckFailure {
        ended += 1
      }
    }
    #expect(ended == 2)
  }

  @Test("R6 expectNoLeakedTasks finds a task that is held until it expires")
  func heldTask() throws {
    /// Begins a task whose work ends after 3 s.
    func work(_ application: Application, _ system: VirtualSystem, endsTask: Bool) {
      let task = application.beginTaskThatItsHandlerEnds()
      system.advance(by: .seconds(3))
      if endsTask { application.endBackgroundTask(task) }
    }
    try expectNoLeakedTasks { work($0, $1, endsTask: true) }
    try expectNoLeakedTasks(tasksMayExpire: true) { work($0, $1, endsTask: false) }
    let found = try finding { try expectNoLeakedTasks { work($0, $1, endsTask: false) } }
    #expect(found.contains("\"held\"") && found.contains("is held until it expires"), "\(found)")
  }

  @Test("R6 a task beside a worker is held only once the worker has ended")
  func heldBesideWorker() throws {
    for endsTask in [true, false] {
      let check = {
        try expectNoLeakedTasks { application, system in
          let task = application.beginTaskThatItsHandlerEnds()
          let job = try Job(of: Tally(), on: FaultyFileSystem(), clock: system.clock)
          var options = WorkerOptions()
          options.onEnd = { _ in if endsTask { application.endBackgroundTask(task) } }
          var costs = VirtualCosts()
          costs.secondsPerUnit = 0.01
          Worker(Tally(), store: job, system: system, options: options, costs: costs).start()
        }
      }
      guard !endsTask else {
        try check()
        continue
      }
      #expect(try finding(check).contains("is held until it expires"))
    }
  }
}

extension Application {
  /// Begins a task that nothing but its handler ends.
  fileprivate func beginTaskThatItsHandlerEnds() -> BackgroundTaskIdentifier {
    let task = Protected(BackgroundTaskIdentifier.invalid)
    let identifier = beginBackgroundTask(withName: "held") { [weak self] in
      self?.endBackgroundTask(task.withLock { $0 })
    }
    task.withLock { $0 = identifier }
    return identifier
  }
}
