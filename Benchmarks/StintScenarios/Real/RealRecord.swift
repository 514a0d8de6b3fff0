/// The trips of one worker in one repeat on the real clock.
package struct RealRecord: Sendable {
  package private(set) var tally = StrategyTally()
  package private(set) var findings: [Finding] = []
  package private(set) var tickLateness: [Nanoseconds] = []
  package private(set) var remainingError: [Nanoseconds] = []
  /// What is durable.
  package private(set) var durable: Nanoseconds = 0
  /// The most that ever was; less may be durable now, if a worker destroyed what it had.
  package private(set) var credited: Nanoseconds = 0
  private var furthest = 0
  private let goal: Nanoseconds
  private let samples: Int

  /// Begins a job, of which so many trips are kept as a life; without its work it says itself when
  /// it is finished.
  package init(workSeconds: Double?, samples: Int) {
    goal = workSeconds.map { Nanoseconds(seconds: $0) } ?? .max
    self.samples = samples
  }

  /// Takes a trip in.
  package mutating func add(_ trip: RealTrip) {
    let figures = trip.figures(furthest: furthest)
    let life = trip.plan.number < samples ? trip.life(beganAt: 0) : nil
    tally.add(figures, number: trip.plan.number, goal: goal, life: life)
    findings += Inspector.findings(trip.observation)
    tickLateness += figures.tickLateness
    remainingError += figures.remainingError
    durable = trip.durable
    credited = max(credited, durable)
    furthest = figures.furthest
  }

  /// What came of all repeats of one worker.
  ///
  /// That a warning was not heeded shows by nothing being done, and on a busy machine somebody else
  /// may have kept a worker from that: once is late, which the overruns say; only who did nothing
  /// in most of the trips has not listened.
  package static func result(
    name: String, title: String, _ records: [RealRecord]
  ) -> StrategyResult? {
    var result = StrategyResult(name: name, title: title, records.map(\.tally), best: nil)
    result?.findings = Finding.gathered(records.flatMap(\.findings)).filter { finding in
      finding.fault != .ignoredWarning
        || 2 * finding.trips > records.reduce(0) { $0 + $1.tally.foretold }
    }
    result?.tickLatenessSeconds = Quantiles(records.flatMap(\.tickLateness).map(\.seconds))
    result?.remainingErrorSeconds = Quantiles(records.flatMap(\.remainingError).map(\.seconds))
    for (number, record) in records.enumerated() {
      result?.perRepeat[number].tickLatenessSeconds = Quantiles(record.tickLateness.map(\.seconds))
      result?.perRepeat[number].remainingErrorSeconds = Quantiles(
        record.remainingError.map(\.seconds))
    }
    return result
  }
}
