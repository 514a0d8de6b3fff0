import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  /// Kills whose phase is known.
  ///
  /// A process is stopped (SIGSTOP), its files are read while it stands still, and only then it
  /// gets the signal and, unless that was SIGKILL, is continued: what the kill cuts is what was
  /// read. Half of the instants are random, the others are those at which a file appears, because a
  /// commit takes two milliseconds of a run's quarter of a second.
  @Suite("Killed at any instant")
  struct AnyInstantTests {
    static let n = 10_000_000 * Yardstick.factor
    static let run = [
      "run", "fibonacci", "\(n)", "--checkpoint-every", "50ms", "--quiet", "--events", "e",
      "--tick", "50ms", "--output", "f",
    ]
    static let rounds = EndToEnd.isFull ? 1_000 : 30

    /// Where a kill is aimed at.
    enum Aim: CaseIterable {
      case random, launch, commit, verification, delivery

      static let order: [Aim] = [
        .random, .commit, .random, .verification, .launch, .random, .commit, .random,
        .verification, .delivery,
      ]
    }

    /// How long an uninterrupted run takes to its first stint, and from there to its end.
    struct Pace {
      var launch: Duration
      var work: Duration
    }

    @Test(
      "R1 C1 a run killed at any instant and run again gives the bytes of the uninterrupted run")
    func anyInstant() async throws {
      let seed: UInt64 = 0x5231
      let expected = try await Yardstick.shared.bytes(of: Self.n)
      let pace = try await Self.pace()
      var numbers = SplitMix64(seed: seed)
      var hits: [RunPhase: Int] = [:]
      var round = 0
      // A run that ended before its kill is no kill; it is run again.
      while hits.values.reduce(0, +) < Self.rounds, round < 2 * Self.rounds {
        let aim = Aim.order[round % Aim.order.count]
        let signal = [SIGKILL, SIGTERM, SIGINT][round % 3]
        round += 1
        let told = "seed \(seed), round \(round), signal \(signal) at \(aim)"
        let scratch = try Scratch()
        let process = try scratch.start(Self.run)
        guard try await Self.freeze(process, in: scratch, at: aim, pace: pace, &numbers) else {
          #expect(try await process.wait().end == .exited(0), "\(told)")
          continue
        }
        let phase = RunPhase(of: scratch)
        hits[phase, default: 0] += 1
        try await Self.expectSurvives(
          signal, process, in: scratch, phase: phase, expected: expected, "\(told), in \(phase)")
      }
      Self.expectShares(hits, "seed \(seed)")
    }

    /// The shares of the phases that the kills have hit; half of what was aimed at, because a
    /// loaded machine misses some.
    private static func expectShares(_ hits: [RunPhase: Int], _ comment: Comment) {
      let kills = hits.values.reduce(0, +)
      let told = RunPhase.allCases.map { "\($0.rawValue) \(hits[$0] ?? 0)" }
      print("R1: \(kills) kills, \(told.joined(separator: ", "))")
      #expect(kills == rounds, comment)
      let saving = (hits[.commit] ?? 0) + (hits[.verification] ?? 0)
      #expect(saving * 10 >= kills, "\(comment): \(told)")
      #expect((hits[.startUp] ?? 0) * 3 <= kills, "\(comment): \(told)")
      // Fifty kills miss a phase that takes a hundredth of a run now and then; a thousand do not.
      if kills >= 1_000 {
        for phase in RunPhase.allCases { #expect(hits[phase] ?? 0 > 0, "\(comment): \(told)") }
      }
    }

    /// Sends the signal to a run that stands still, and expects that nothing is lost by it.
    private static func expectSurvives(
      _ signal: Int32, _ process: StintProcess, in scratch: Scratch, phase: RunPhase,
      expected: Data, _ told: Comment
    ) async throws {
      process.send(signal)
      if signal != SIGKILL { process.send(SIGCONT) }
      let first = try await process.wait()
      // Before the program has begun, a signal does what it does to any program; after the result
      // stands, it may be too late.
      let ends: [ProcessEnd] =
        switch signal {
        case SIGTERM where phase == .startUp: [.exited(75), .signalled(SIGTERM)]
        case SIGTERM: [.exited(75), .exited(0)]
        case SIGINT: [.signalled(SIGINT), .exited(0)]
        case _: [.signalled(SIGKILL)]
        }
      #expect(ends.contains(first.end), "\(told): \(first.end) \(first.errors)")
      if signal == SIGTERM, first.end == .signalled(signal) { #expect(scratch.job == nil, told) }
      // Whole or not at all, also before the second run.
      if scratch.exists("f") { #expect(try scratch.bytes("f") == expected, told) }
      let isFinished = scratch.exists("f")
      let saved = scratch.journal.newestCheckpoint
      let second = try await scratch.start(run).wait()
      #expect(second.end == .exited(0), "\(told), then \(second.end) \(second.errors)")
      #expect(try scratch.bytes("f") == expected, told)
      #expect(scratch.names(in: ".").filter { $0.hasPrefix(".") } == [], told)
      guard saved > 0, !isFinished else { return }
      let restored = Journal(text: scratch.text("e")).all("stintBegan").last?.restoredSequence
      #expect(restored ?? 0 >= saved, "\(told): what was told as saved is lost")
    }

    /// Lets a run go to an instant of the wanted kind and stops it there; false if it ended before.
    private static func freeze(
      _ process: StintProcess, in scratch: Scratch, at aim: Aim, pace: Pace,
      _ numbers: inout SplitMix64
    ) async throws -> Bool {
      switch aim {
      case .launch:
        try await Task.sleep(for: numbers.duration(below: pace.launch))
        return try await process.freeze()
      case .random:
        let instant = numbers.duration(below: pace.work)
        try await process.wait(until: "the first stint") {
          scratch.text("e").contains("stintBegan")
        }
        try await Task.sleep(for: instant)
        return try await process.freeze()
      case .commit:
        return try await process.freeze(in: scratch) { $0.checkpointBeingWritten != nil }
      case .verification:
        return try await process.freeze(in: scratch) { scratch in
          scratch.checkpointBeingWritten.map(scratch.isCheckpoint) ?? false
        }
      case .delivery:
        return try await process.freeze(in: scratch) { $0.isDelivering }
      }
    }

    private static func pace() async throws -> Pace {
      let scratch = try Scratch()
      let start = ContinuousClock.now
      let process = try scratch.start(run)
      try await process.wait(until: "the first stint") { scratch.text("e").contains("stintBegan") }
      let begun = ContinuousClock.now
      #expect(try await process.wait().end == .exited(0))
      return Pace(launch: begun - start, work: ContinuousClock.now - begun)
    }
  }
}
