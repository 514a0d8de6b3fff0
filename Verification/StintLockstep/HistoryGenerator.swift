import StintCore
import StintModel

/// Chooses what happens next, from what is possible and with a liking for what is rare.
struct HistoryGenerator {
  private typealias Choices = [(weight: Int, event: LockstepEvent)]

  var random: SplitMix64

  /// The last one is never declared.
  private static let modes: [BackgroundMode] = [
    .audio, .audio, .location, BackgroundMode(rawValue: "other"),
  ]

  private static let deliveries: [TaskDelivery] = [
    .mainQueue, .mainQueue, .mainQueue, .direct, .direct, .mainQueueAsync, .scoped, .none,
  ]

  /// The next event of a history.
  mutating func next(after pair: LockstepPair) -> LockstepEvent {
    let choices = choices(pair)
    var number = random.below(choices.reduce(0) { $0 + $1.weight })
    for choice in choices {
      number -= choice.weight
      if number < 0 { return choice.event }
    }
    return .look
  }

  private mutating func choices(_ pair: LockstepPair) -> Choices {
    var choices: Choices = [
      (22, .begin(random.pick(Self.deliveries), named: random.chance(80))),
      (14, end(pair)),
      (4, .beginForSystem(allowance: random.below(random.pick([1, 30, 300]) * 1_000_000_000))),
      (2, .allowTime(ahead: random.below(60_000_000_000))),
      (18, .pass(span(pair))),
      (3, .late(span(pair))),
      (3, .continued(stopped: random.below(5_000_000_000))),
      (2, .look),
      (2, .pressMemory),
      (
        pair.machine.stop == nil ? 1 : 8,
        .stop(random.pick([.stopRequested, .signal(15)]), grace: random.below(4_000_000_000))
      ),
    ]
    // Else most histories would soon be over.
    if random.chance(3) { choices.append((10, .terminate)) }
    return choices + lifeChoices(pair) + taskChoices(pair) + modeChoices(pair)
  }

  private mutating func lifeChoices(_ pair: LockstepPair) -> Choices {
    let trip = pair.machine.trip
    let tasks = pair.machine.tasks
    switch pair.machine.lifeState {
    case .notRunning:
      return [
        (90, .launch(random.chance(70) ? .foreground : .background)), (90, .terminationReported),
      ]
    case .inactive:
      // The clock may have started longer ago than a grace lasts.
      let since = random.chance(20) ? random.below(random.pick([1, 20]) * 1_000_000_000) : 0
      let grant = random.chance(20) ? 1 + random.below(40_000_000_000) : nil
      let entered = LockstepEvent.enterBackground(
        since: since, grant: grant, isLimited: grant != nil || random.chance(10))
      return [(25, entered), (15, .becomeActive)]
    case .active:
      return [(25, .resign)]
    case .background:
      var choices: Choices = [
        (tasks.contains { $0.progress == .called } ? 15 : 6, .enterForeground),
        (4, .revoke(random.pick([.revoked, .engineEndTime]))),
        (tasks.isEmpty ? 4 : 1, .idle),
      ]
      if let trip, !trip.enterReturned {
        choices.append((25, .enterReturned(trip: trip.number)))
        choices.append((3, .enterReturned(trip: trip.number - 1)))
      }
      return choices + authorityChoices(pair)
    case .suspended:
      let allowance = random.pick([2, 30]) * 1_000_000_000
      return [
        (25, .enterForeground), (15, .resume), (2, .killWhileSuspended),
        (15, .beginForSystem(allowance: allowance)),
      ]
        + authorityChoices(pair)
    }
  }

  /// What a source says of the trip's end, or an authority in another process that granted it, also
  /// when its message comes too late.
  private mutating func authorityChoices(_ pair: LockstepPair) -> Choices {
    let second = 1_000_000_000
    let ahead = random.below(random.pick([second, 8 * second, 60 * second])) - second / 4
    let isRemote = pair.machine.authority == .remote
    let reason = random.pick([ExpiryReason.timeElapsed, .revoked, .engineEndTime])
    let moved = LockstepEvent.endMoved(reason, ahead: random.chance(85) ? ahead : nil)
    return [(isRemote ? 6 : 3, moved)]
      + (isRemote ? [(4, .authorityExpired(reason, ahead: ahead))] : [])
  }

  private mutating func modeChoices(_ pair: LockstepPair) -> Choices {
    let inUse = pair.machine.modes
    let begun = LockstepEvent.beginMode(random.pick(Self.modes), isPermitted: random.chance(90))
    if inUse.isEmpty { return [(3, begun), (1, .endMode(random.below(3)))] }
    return [
      (2, begun), (8, .endMode(random.pick(inUse).number)),
      (2, .forbidMode(random.pick(Self.modes))),
    ]
  }

  private mutating func taskChoices(_ pair: LockstepPair) -> Choices {
    var choices: Choices = []
    let tasks = pair.machine.tasks
    let systems = tasks.filter(\.isSystems)
    if !systems.isEmpty {
      choices.append((1, .notCompleted(random.pick(systems).identifier.rawValue)))
    }
    let pending = tasks.filter { $0.progress == .pending }
    if !pending.isEmpty {
      let task = random.pick(pending).identifier.rawValue
      choices.append((25, .answer(task, isGranted: random.chance(70))))
    }
    if !pair.calls.isEmpty {
      let back = random.below(random.chance(60) ? min(3, pair.calls.count) : pair.calls.count)
      choices.append((15, .claim(call: pair.calls.count - back)))
    }
    let handling = tasks.filter { $0.progress == .claimed }
    if !handling.isEmpty {
      choices.append((15, .returned(random.pick(handling).identifier.rawValue)))
    }
    return choices
  }

  /// Mostly an open task is ended, sometimes one that was ended before, or none.
  private mutating func end(_ pair: LockstepPair) -> LockstepEvent {
    let quietly = random.chance(10)
    if let some = pair.machine.tasks.randomElement(using: &random), random.chance(80) {
      return .end(some.identifier.rawValue, quietly: quietly)
    }
    return .end(random.below(pair.model.begun + 2), quietly: quietly)
  }

  /// To an instant at which something happens, or just before or after it; else anywhere.
  private mutating func span(_ pair: LockstepPair) -> Int {
    let ahead = pair.model.reading.boundaries.filter { $0 > pair.now }
    if !ahead.isEmpty, random.chance(60) {
      return max(0, random.pick(ahead) - pair.now + random.below(3) - 1)
    }
    let limits = [1_000, 1_000_000_000, 8_000_000_000, 40_000_000_000, 700_000_000_000]
    if random.chance(2) { return 86_400_000_000_000 - random.below(3) + 1 }
    return random.below(random.pick(limits))
  }
}
