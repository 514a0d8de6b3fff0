/// The sums of one strategy over the trips of one repeat.
package struct StrategyTally: Sendable {
  package private(set) var saved: Nanoseconds = 0
  /// Work that became durable after the deadline.
  package private(set) var savedLate: Nanoseconds = 0
  package private(set) var lost: Nanoseconds = 0
  package private(set) var checkpointTime: Nanoseconds = 0
  package private(set) var checkpoints = 0
  package private(set) var usable: Nanoseconds = 0
  package private(set) var unused: Nanoseconds = 0
  package private(set) var restart: Nanoseconds = 0
  /// Lived after the deadline.
  package private(set) var past: Nanoseconds = 0
  /// The granted time up to the checkpoint with which the job was done.
  package private(set) var makespan: Nanoseconds?
  package private(set) var doneAgain: Nanoseconds = 0
  package private(set) var falseClaims = 0
  package private(set) var foretold = 0
  package private(set) var overruns: [Nanoseconds] = []
  package private(set) var expiryToDurable: [Nanoseconds] = []
  package private(set) var tripsToFinish: Int?
  package private(set) var life: [TripLife] = []
  private var furthest = 0
  private var lived: Nanoseconds = 0

  /// From the end of a trip to the beginning of the next one, in a life as it is shown.
  package static let rest = Nanoseconds(1_000_000_000)

  /// Takes a trip in.
  mutating func add(_ world: TripWorld, number: Int, claimed: Nanoseconds, goal: Nanoseconds) {
    let account = world.account
    precondition(
      account.gap == 0 && account.idle >= 0,
      "the account of trip \(number) does not add up: \(account)")
    if makespan == nil, let done = account.jobDone { makespan = usable + done }
    usable += world.trip.usable
    saved += account.saved
    savedLate += account.savedLate
    lost += account.lost
    checkpointTime += account.checkpointTime
    checkpoints += account.checkpoints
    unused += account.unused
    restart += account.restartTime
    past += account.past
    if world.isForetold { foretold += 1 }
    if let overrun = account.overrun { overruns.append(overrun) }
    if let time = account.expiryToDurable { expiryToDurable.append(time) }
    let again = min(furthest, world.complete.position) - world.start.position
    if again > 0 {
      // The chunks of a trip are alike: their mean stands for those that were lost before.
      let chunks = world.complete.position - world.start.position
      doneAgain += account.computed / Int64(chunks) * Int64(again)
    }
    furthest = max(furthest, world.complete.position)
    if claimed > world.durable.total { falseClaims += 1 }
    if tripsToFinish == nil, world.durable.total >= goal { tripsToFinish = number + 1 }
    if var sample = account.life {
      sample.beganSeconds = lived.seconds
      life.append(sample)
    }
    let end = world.trip.isDenied ? 0 : max(world.trip.grant, world.trip.enforced, account.endedAt)
    lived += end + Self.rest
  }

  /// Takes a trip of the real clock in.
  mutating func add(_ figures: RealFigures, number: Int, goal: Nanoseconds, life sample: TripLife?)
  {
    usable += figures.usable
    saved += figures.saved
    lost += figures.lost
    checkpointTime += figures.checkpointTime
    checkpoints += figures.checkpoints
    unused += figures.unused
    doneAgain += figures.doneAgain
    if figures.isForetold { foretold += 1 }
    if let overrun = figures.overrun { overruns.append(overrun) }
    if let time = figures.expiryToDurable { expiryToDurable.append(time) }
    if figures.isFalseClaim { falseClaims += 1 }
    if tripsToFinish == nil, figures.isFinished || figures.durable >= goal {
      tripsToFinish = number + 1
    }
    if var sample {
      sample.beganSeconds = lived.seconds
      life.append(sample)
    }
    lived += (figures.end == .denied ? 0 : figures.length) + Self.rest
  }

  /// The granted time in which nothing was done.
  ///
  /// What was lived, beyond the deadline too, is work that is durable, work that is lost,
  /// checkpoints, restarts and this.
  var idle: Nanoseconds {
    usable + past - saved - savedLate - lost - checkpointTime - restart
  }

  /// A time as a share of what was granted.
  func share(_ time: Nanoseconds) -> Double {
    usable > 0 ? time.seconds / usable.seconds : 0
  }
}
