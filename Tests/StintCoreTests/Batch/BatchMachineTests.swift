import StintCore
import Testing

@Suite("Machine of a batch")
struct BatchMachineTests {
  private static func machine(
    _ history: [BatchMachine.History], places: Int = 2, runs: Int = 1,
    halt: BatchMachine.Halt? = nil, asksBeforeStart: Bool = false
  ) -> BatchMachine {
    BatchMachine(
      history: history,
      rules: .init(
        places: places, leastRemaining: .seconds(1), runs: runs, halt: halt,
        asksBeforeStart: asksBeforeStart))
  }

  @Test("R11 what is begun comes first, then the rest in the file's order, what failed last")
  func order() {
    var machine = Self.machine([.failed, .fresh, .finished, .begun, .fresh, .begun], places: 1)
    var started: [Int] = []
    var actions = machine.tripBegan(remaining: .unlimited)
    while case .start(let index)? = actions.first {
      started.append(index)
      actions = machine.lineEnded(index, .finished, remaining: .unlimited)
    }
    #expect(started == [3, 5, 1, 4, 0])
    #expect(actions == [.done])
    #expect(machine.lines.allSatisfy { $0 == .finished })
  }

  @Test("at most so many run, and a place that becomes free is taken at once")
  func places() {
    var machine = Self.machine([.fresh, .fresh, .fresh])
    #expect(machine.tripBegan(remaining: .unlimited) == [.start(0), .start(1)])
    #expect(machine.lineEnded(1, .failed, remaining: .unlimited) == [.start(2)])
    #expect(machine.lineEnded(0, .finished, remaining: .unlimited) == [])
    #expect(machine.lineEnded(2, .finished, remaining: .unlimited) == [.done])
    #expect(machine.lines == [.finished, .failed, .finished])
  }

  @Test("A11 nothing is started where too little is left, and the next trip begins with it")
  func tooLittle() {
    var machine = Self.machine([.fresh, .fresh, .fresh], places: 1)
    #expect(machine.tripBegan(remaining: .limited(.seconds(5))) == [.start(0)])
    #expect(
      machine.lineEnded(0, .finished, remaining: .limited(.milliseconds(999))) == [.tripOver])
    #expect(machine.phase == .resting)
    #expect(machine.tripBegan(remaining: .limited(.seconds(1))) == [.start(1)])
    #expect(machine.lineEnded(1, .unfinished, remaining: .limited(.seconds(5))) == [.start(2)])
    // Asking to be run again in the same trip it would take all of its time.
    #expect(machine.lineEnded(2, .finished, remaining: .limited(.seconds(5))) == [.tripOver])
    #expect(machine.tripBegan(remaining: .limited(.seconds(5))) == [.start(1)])
    #expect(machine.lineEnded(1, .finished, remaining: .limited(.seconds(5))) == [.done])
  }

  @Test("a line that failed is not tried again by the same process")
  func failed() {
    var machine = Self.machine([.fresh, .fresh], places: 2)
    _ = machine.tripBegan(remaining: .unlimited)
    #expect(machine.lineEnded(0, .failed, remaining: .unlimited) == [])
    #expect(machine.lineEnded(1, .unfinished, remaining: .unlimited) == [.tripOver])
    #expect(machine.tripBegan(remaining: .unlimited) == [.start(1)])
  }

  @Test("E1 a trip that is extended after its warning begins again what the warning ended")
  func extended() {
    var machine = Self.machine([.fresh, .fresh, .fresh], places: 2)
    #expect(machine.tripExtended(remaining: .unlimited) == [], "no trip has begun")
    _ = machine.tripBegan(remaining: .limited(.seconds(9)))
    #expect(machine.tripExtended(remaining: .limited(.seconds(99))) == [], "nothing was ended")
    _ = machine.tripCloses()
    #expect(machine.lineEnded(0, .unfinished, remaining: .limited(.seconds(2))) == [])
    // What was begun comes first.
    #expect(machine.tripExtended(remaining: .limited(.seconds(99))) == [.start(0)])
    #expect(machine.phase == .working)
    #expect(machine.lineEnded(1, .finished, remaining: .limited(.seconds(90))) == [.start(2)])
    _ = machine.stopRequested()
    #expect(machine.tripExtended(remaining: .unlimited) == [])
    #expect(machine.phase == .stopping, "a stop is never revoked")
  }

  @Test("when the trip closes nothing more is started")
  func closing() {
    var machine = Self.machine([.fresh, .fresh, .fresh], places: 2)
    _ = machine.tripBegan(remaining: .unlimited)
    #expect(machine.tripCloses() == [])
    #expect(machine.lineEnded(0, .finished, remaining: .unlimited) == [])
    #expect(machine.lineEnded(1, .unfinished, remaining: .unlimited) == [.tripOver])
    #expect(machine.tripCloses() == [])
    #expect(machine.phase == .resting)
  }

  @Test("W11 a stop is never revoked, whatever comes after it")
  func stop() {
    var machine = Self.machine([.fresh, .fresh, .fresh], places: 2)
    _ = machine.tripBegan(remaining: .unlimited)
    #expect(machine.stopRequested() == [])
    #expect(machine.stopRequested() == [])
    #expect(machine.tripCloses() == [])
    #expect(machine.lineEnded(0, .finished, remaining: .unlimited) == [])
    #expect(machine.lineEnded(1, .unfinished, remaining: .unlimited) == [.done])
    #expect(machine.tripBegan(remaining: .unlimited) == [])
    #expect(machine.phase == .done)
    var resting = Self.machine([.fresh])
    #expect(resting.stopRequested() == [.done])
  }

  @Test("W7 held, nothing is started and nothing is over until it is released")
  func held() {
    var machine = Self.machine([.fresh, .fresh, .fresh], places: 2)
    _ = machine.tripBegan(remaining: .unlimited)
    machine.held()
    #expect(machine.lineEnded(0, .finished, remaining: .unlimited) == [])
    #expect(machine.running == 1)
    #expect(machine.released(remaining: .unlimited) == [.start(2)])
    machine.held()
    #expect(machine.lineEnded(1, .finished, remaining: .unlimited) == [])
    #expect(machine.lineEnded(2, .finished, remaining: .unlimited) == [])
    #expect(machine.released(remaining: .unlimited) == [.done])
    #expect(machine.released(remaining: .unlimited) == [])
  }

  @Test("a line that fails is run so often, and has failed only then")
  func retries() {
    var machine = Self.machine([.fresh, .fresh], places: 1, runs: 3)
    #expect(machine.tripBegan(remaining: .unlimited) == [.start(0)])
    #expect(machine.triesAgain(0))
    // Its place is free while it waits.
    #expect(machine.lineEnded(0, .failed, remaining: .unlimited) == [.retry(0), .start(1)])
    #expect(machine.lines == [.failing, .running])
    #expect(machine.lineEnded(1, .finished, remaining: .unlimited) == [], "a line is to come")
    #expect(machine.retryIsDue(1, remaining: .unlimited) == [], "it is not failing")
    #expect(machine.retryIsDue(0, remaining: .unlimited) == [.start(0)])
    #expect(machine.run(of: 0) == 2)
    // Its time ran out, which is no failure.
    #expect(machine.lineEnded(0, .unfinished, remaining: .unlimited) == [.tripOver])
    #expect(machine.tripBegan(remaining: .unlimited) == [.start(0)])
    #expect(machine.lineEnded(0, .failed, remaining: .unlimited) == [.retry(0)])
    #expect(machine.retryIsDue(0, remaining: .unlimited) == [.start(0)])
    #expect(!machine.triesAgain(0))
    #expect(machine.lineEnded(0, .failed, remaining: .unlimited) == [.done])
    #expect(machine.lines == [.failed, .finished])
  }

  @Test("what waits for its next run when the trip ends is run in the next trip")
  func retryAfterTrip() {
    var machine = Self.machine([.fresh], places: 1, runs: 2)
    _ = machine.tripBegan(remaining: .unlimited)
    #expect(machine.lineEnded(0, .failed, remaining: .limited(.seconds(9))) == [.retry(0)])
    #expect(machine.retryIsDue(0, remaining: .limited(.milliseconds(10))) == [.tripOver])
    #expect(machine.tripBegan(remaining: .limited(.seconds(9))) == [.start(0)])
    _ = machine.tripCloses()
    #expect(machine.lineEnded(0, .failed, remaining: .limited(.seconds(1))) == [.done])
    var closing = Self.machine([.fresh, .fresh], places: 1, runs: 2)
    _ = closing.tripBegan(remaining: .unlimited)
    #expect(closing.lineEnded(0, .failed, remaining: .unlimited) == [.retry(0), .start(1)])
    #expect(closing.tripCloses() == [])
    #expect(closing.retryIsDue(0, remaining: .unlimited) == [], "no line is started any more")
    #expect(closing.lineEnded(1, .unfinished, remaining: .unlimited) == [.tripOver])
    #expect(closing.tripBegan(remaining: .unlimited) == [.start(0)])
  }

  @Test("too many failures end the batch: softly, or with the lines that run")
  func halted() {
    for isNow in [false, true] {
      var machine = Self.machine(
        Array(repeating: .fresh, count: 5), places: 2, halt: .init(.count(2), isNow: isNow))
      _ = machine.tripBegan(remaining: .unlimited)
      #expect(machine.lineEnded(0, .failed, remaining: .unlimited) == [.start(2)])
      #expect(machine.lineEnded(1, .failed, remaining: .unlimited) == (isNow ? [.endRunning] : []))
      #expect(machine.isHalted)
      #expect(machine.lineEnded(2, .unfinished, remaining: .unlimited) == [.done])
      #expect(machine.tripBegan(remaining: .unlimited) == [])
      #expect(machine.lines == [.failed, .failed, .unfinished, .waiting, .waiting])
    }
    // Of a share, one of a few is not enough.
    var machine = Self.machine(
      Array(repeating: .fresh, count: 20), places: 1, halt: .init(.percent(25), isNow: false))
    _ = machine.tripBegan(remaining: .unlimited)
    let ends: [BatchLineEnd] = [.failed, .failed] + Array(repeating: .finished, count: 8)
    for (index, end) in ends.enumerated() {
      _ = machine.lineEnded(index, end, remaining: .unlimited)
    }
    #expect(!machine.isHalted)
    #expect(machine.lineEnded(10, .failed, remaining: .unlimited) == [.done], "3 of 11")
    #expect(machine.isHalted)
  }

  @Test("where each start is asked for, one line is started for each answer")
  func asks() {
    var machine = Self.machine([.fresh, .fresh, .fresh], places: 2, asksBeforeStart: true)
    #expect(machine.mayStart(remaining: .unlimited) == [], "nobody has asked")
    #expect(machine.tripBegan(remaining: .unlimited) == [.askForStart])
    #expect(machine.mayStart(remaining: .unlimited) == [.start(0), .askForStart])
    #expect(machine.lineEnded(0, .finished, remaining: .unlimited) == [], "it was asked already")
    #expect(machine.mayStart(remaining: .unlimited) == [.start(1), .askForStart])
    // The answer comes too late in the trip.
    #expect(machine.mayStart(remaining: .limited(.zero)) == [])
    #expect(machine.lineEnded(1, .finished, remaining: .limited(.zero)) == [.tripOver])
    #expect(machine.tripBegan(remaining: .unlimited) == [.askForStart])
    #expect(machine.tripCloses() == [.tripOver])
    #expect(machine.mayStart(remaining: .unlimited) == [], "the trip is over")
    #expect(machine.tripBegan(remaining: .unlimited) == [.askForStart])
    #expect(machine.mayStart(remaining: .unlimited) == [.start(2)])
    #expect(machine.lineEnded(2, .finished, remaining: .unlimited) == [.done])
  }

  @Test("an empty batch and one that is done are over at once")
  func nothing() {
    var empty = Self.machine([])
    #expect(empty.tripBegan(remaining: .unlimited) == [.done])
    var done = Self.machine([.finished, .finished])
    #expect(done.tripBegan(remaining: .limited(.zero)) == [.done])
  }

  @Test(
    "any sequence of events keeps the places, starts no line twice in a trip and comes to an end")
  func random() {
    for seed in UInt64(0)..<300 { #expect(Self.live(seed: seed), "seed \(seed)") }
  }

  /// Drives a machine by a seed through everything that can happen to it; whether it came to an
  /// end.
  private static func live(seed: UInt64) -> Bool {
    var random = SplitMix64(seed: seed)
    func next(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let history = (0..<(1 + next(12))).map { _ in BatchMachine.History.allCases[next(4)] }
    let places = 1 + next(4)
    let runs = 1 + next(3)
    let halt: BatchMachine.Halt? =
      [nil, .init(.count(3), isNow: true), .init(.percent(50), isNow: false)][next(3)]
    var machine = machine(
      history, places: places, runs: runs, halt: halt, asksBeforeStart: next(2) == 0)
    var running: Set<Int> = []
    var startedInTrip: Set<Int> = []
    var (retries, asks) = ([Int](), 0)
    var isDone = false
    func take(_ actions: [BatchMachine.Action]) {
      for action in actions {
        switch action {
        case .start(let index):
          #expect(running.insert(index).inserted, "seed \(seed)")
          #expect(startedInTrip.insert(index).inserted, "seed \(seed): \(index) twice in a trip")
          #expect(history[index] != .finished, "seed \(seed)")
        case .retry(let index):
          // It may be run once more in this trip.
          #expect(runs > 1 && startedInTrip.remove(index) != nil, "seed \(seed)")
          retries.append(index)
        case .askForStart: asks += 1
        case .endRunning: #expect(machine.isHalted && !running.isEmpty, "seed \(seed)")
        case .tripOver:
          #expect(running.isEmpty && machine.phase == .resting, "seed \(seed)")
        case .done:
          #expect(!isDone && running.isEmpty, "seed \(seed)")
          isDone = true
        }
      }
      #expect(running.count <= places && running.count == machine.running, "seed \(seed)")
    }
    for step in 0..<2_000 where !isDone {
      let remaining = RemainingTime.limited(.milliseconds(next(4_000)))
      // Towards the end everything succeeds, so that it must come to one.
      let end: BatchLineEnd = step > 1_000 ? .finished : [.finished, .unfinished, .failed][next(3)]
      if asks > 0, next(2) == 0 {
        asks -= 1
        take(machine.mayStart(remaining: remaining))
      }
      if !retries.isEmpty, next(2) == 0 {
        take(machine.retryIsDue(retries.removeLast(), remaining: remaining))
      }
      switch next(12) {
      case 0 where step < 1_000: take(machine.tripCloses())
      case 1 where step < 1_000: machine.held()
      case 2, 3: take(machine.released(remaining: remaining))
      case 4 where machine.phase == .resting:
        startedInTrip = []
        take(machine.tripBegan(remaining: remaining))
      case 5 where step > 1_900: take(machine.stopRequested())
      case _:
        guard let index = running.sorted().first else { continue }
        running.remove(index)
        take(machine.lineEnded(index, end, remaining: remaining))
      }
    }
    return isDone || machine.isHeld
  }
}
