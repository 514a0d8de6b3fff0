import Stint
import StintCore

extension BenchOptions {
  /// Calibrates, measures, prints, and returns the exit status.
  func measure(_ verb: String, _ body: (MachineState) throws -> [Figure]) throws -> Int32 {
    let began = BootClock.now
    let machine = try MachineState.sample(quick: quick)
    Console.say(machine.description)
    if let reason = machine.busyReason, !quick {
      if check, !busyOK {
        throw StintError(
          .unavailable,
          "\(reason), so nothing is judged; wait until it is quiet, or give "
            + "--busy-ok to see the figures without a verdict.")
      }
      Console.say("\(reason), so nothing is judged.")
    }
    let isJudged = !quick && machine.busyReason == nil
    var figures = try body(machine)
    if !isJudged { figures = figures.map { $0.notJudged() } }
    let report = BenchReport(
      verb: verb, quick: quick, machine: machine, figures: figures,
      took: began.duration(to: BootClock.now))
    Console.write(json ? try report.json() : TablePrinter.render(report))
    return check && report.hasMissedGate ? BenchVerb.missed : 0
  }
}
