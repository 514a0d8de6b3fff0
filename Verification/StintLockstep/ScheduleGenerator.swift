import StintCore
import StintModel

/// Chooses what happens next to a schedule, from what is possible and with a liking for what is
/// rare.
enum ScheduleGenerator {
  private typealias Choices = [(weight: Int, event: ScheduleEvent)]

  private static let second = 1_000_000_000

  /// The next event of a history.
  static func next(after pair: SchedulePair, _ random: inout SplitMix64) -> ScheduleEvent {
    let choices = choices(pair, &random)
    var number = random.below(choices.reduce(0) { $0 + $1.weight })
    for choice in choices {
      number -= choice.weight
      if number < 0 { return choice.event }
    }
    return .look
  }

  private static func choices(_ pair: SchedulePair, _ random: inout SplitMix64) -> Choices {
    let kind = pair.setup.kind
    let isDenied = kind == .denials
    let isQuiet = kind == .denials || kind == .weeks
    let isSettled =
      switch pair.machine.lifeState {
      case .notRunning, .inactive: false
      case .active: kind == .foreground
      case .background, .suspended: isDenied || kind == .restarts
      }
    let reading = pair.model.reading
    let isAtWork = reading.openRuns.contains { !$0.isAsking && !$0.isLaunching }
    let identifier = random.pick(SchedulePair.identifiers)
    let unregistered = SchedulePair.identifiers.first { !reading.hasHandler($0) }
    let isLate = random.chance(10)
    let clock = span(pair, reading, &random) * (random.chance(50) ? 1 : -1)
    let choices: Choices = [
      (
        unregistered == nil || kind == .weeks ? 1 : kind == .restarts ? 60 : 15,
        .register(unregistered ?? identifier, isLate: isLate)
      ),
      (isQuiet ? 3 : 14, submission(identifier, kind, &random)),
      (1, .takeBack(identifier)), (2, .cancel(identifier)), (1, .cancelAll),
      (isSettled ? 2 : 16, .life(life(after: pair.machine.lifeState, kind, &random))),
      (2, .status(random.pick([.available, .available, .denied, .restricted]))),
      (isQuiet || isSettled ? 2 : 8, .conditions(conditions(&random))),
      (kind == .weeks ? 8 : 3, .interval(interval(kind, &random))),
      (2, .pressMemory), (1, .terminate),
      (kind == .restarts && isAtWork ? 60 : 1, .restart),
      (
        !reading.waitsForLaunch ? 1 : kind == .restarts && unregistered != nil ? 2 : 50,
        .launchEnded
      ),
      (2, .simulateLaunch(identifier)), (2, .simulateExpiry(identifier)), (1, .simulateFetch),
      (1, .simulateSessionEvents("e")),
      (2, .setClock(by: clock, isTold: random.chance(70))),
      (isDenied ? 80 : 18, .pass(span(pair, reading, &random))),
      (3, .late(span(pair, reading, &random))), (2, .look),
    ]
    return choices + runChoices(reading, kind, &random)
  }

  private static func runChoices(
    _ reading: ScheduleReading, _ kind: ScheduleSetup.Kind, _ random: inout SplitMix64
  ) -> Choices {
    var choices: Choices = [(1, .grant(run: 1 + random.below(30))), (1, .claim(run: 1))]
    for run in reading.openRuns {
      if run.isAsking {
        let isGranted = random.chance(kind == .denials ? 2 : 85)
        choices.append(
          (60, isGranted ? .grant(run: run.number) : .deny(run: run.number, denial(kind, &random))))
      }
      if run.isLaunching { choices.append((30, .claim(run: run.number))) }
      choices.append(
        (
          kind == .foreground ? 1 : run.kind == .fetch ? 20 : 3,
          .complete(run: run.number, random.pick([.newData, .noData, .failed]))
        ))
      let reason = random.pick([ExpiryReason.timeElapsed, .revoked, .stopRequested])
      choices.append(
        (
          kind == .foreground ? 1 : 2,
          .expire(run: run.number, reason, ahead: random.below(8 * second) - second / 4)
        ))
      if run.kind == .continued {
        choices.append((10, .progress(run: run.number, percent: random.below(101))))
        choices.append((3, .pressMemory))
      }
    }
    return choices
  }

  private static func submission(
    _ identifier: String, _ kind: ScheduleSetup.Kind, _ random: inout SplitMix64
  ) -> ScheduleEvent {
    var request = TaskRequest(identifier)
    request.kind = random.pick([
      .refresh, .refresh, .processing, .processing, .processing, .continued, .continued,
    ])
    if kind == .foreground, random.chance(80) { request.kind = .continued }
    if random.chance(2) { request.kind = random.pick([.fetch, .sessionEvents]) }
    if random.chance(30) { request.requirements.insert(.network) }
    if random.chance(30) { request.requirements.insert(.externalPower) }
    if random.chance(20) { request.mostLoad = 0.5 }
    if random.chance(20) { request.leastMemory = 1_000 }
    if random.chance(20) { request.leastDisk = 1_000 }
    if random.chance(40) { request.waitsForRoom = false }
    let ahead = random.below(random.pick([2, 40, 900]) * second) - second / 2
    return .submit(request, ahead: random.chance(50) ? ahead : nil)
  }

  /// Mostly what can follow, sometimes anything.
  private static func life(
    after state: LifeState, _ kind: ScheduleSetup.Kind, _ random: inout SplitMix64
  ) -> LifeState {
    if random.chance(5) {
      return random.pick([.notRunning, .inactive, .active, .background, .suspended])
    }
    switch state {
    case .notRunning: return random.pick([.inactive, .background])
    case .inactive:
      return random.chance(kind == .foreground ? 80 : 50) ? .active : .background
    case .active: return .inactive
    case .background: return random.pick([.suspended, .suspended, .inactive])
    case .suspended: return random.pick([.background, .inactive])
    }
  }

  private static func conditions(_ random: inout SplitMix64) -> MachineConditions {
    var conditions = MachineConditions()
    conditions.hasNetwork = random.chance(60)
    conditions.hasExternalPower = random.chance(60)
    if random.chance(20) { conditions.load = random.pick([0.5, 1.5]) }
    if random.chance(40) { conditions.freeMemory = 999 + Int64(random.below(2)) }
    if random.chance(40) { conditions.freeDisk = 999 + Int64(random.below(2)) }
    return conditions
  }

  private static func interval(
    _ kind: ScheduleSetup.Kind, _ random: inout SplitMix64
  ) -> FetchInterval {
    if random.chance(3) { return .atLeast(.seconds(6_000_000_000)) }
    let spans = kind == .weeks ? [3_000, 20_000, 400_000] : [1, 60, 3_000]
    return random.pick([
      .never, .minimum, .minimum, .atLeast(.nanoseconds(random.below(random.pick(spans) * second))),
    ])
  }

  private static func denial(
    _ kind: ScheduleSetup.Kind, _ random: inout SplitMix64
  ) -> DenialReason {
    if random.chance(kind == .denials ? 2 : 30) { return random.pick([.notRunning, .stopping]) }
    return random.pick([
      .suspended, .tooManyTasks(maximum: 3), .refused("no"),
      .tooLittleTime(remaining: .nanoseconds(1), least: .seconds(1)),
    ])
  }

  /// To an instant at which something happens, or just before or after it; else anywhere.
  private static func span(
    _ pair: SchedulePair, _ reading: ScheduleReading, _ random: inout SplitMix64
  ) -> Int {
    let ahead = reading.boundaries(pair.now).filter { $0 > pair.now.at }
    if let first = ahead.first, random.chance(pair.setup.kind == .denials ? 95 : 60) {
      let boundary = pair.setup.kind == .denials ? first : random.pick(ahead)
      // No clock comes as far as some.
      return max(0, min(boundary - pair.now.at, 1 << 50) + random.below(3) - 1)
    }
    if pair.setup.kind == .restarts, random.chance(60) { return random.below(4 * second) }
    let limits = [1_000, second, 12 * second, 60 * second, 900 * second]
    let hour = 3_600 * second
    let long = [hour, 24 * hour, 168 * hour, 5_000 * hour, 5_000 * hour]
    return random.below(random.pick(pair.setup.kind == .weeks ? limits + long : limits))
  }
}
