import Stint
import StintCore

extension BenchOptions {
  /// Calibrates, measures, prints, and returns the exit status.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if a verdict was asked for and the
  ///   machine is busy, or was while it was measured.
  func measure(_ verb: String, _ body: (MachineState) throws -> [Figure]) throws -> Int32 {
    let began = BootClock.now
    let machine = try MachineState.sample(quick: quick)
    Console.say(machine.description)
    if let reason = machine.busyReason, !quick { try refuse(reason) }
    let meter = OthersMeter()
    var figures = try body(machine)
    let others = meter.finish()
    let disturbed = quick ? nil : others?.reason
    let isJudged = !quick && machine.busyReason == nil && disturbed == nil
    if !isJudged { figures = figures.map { $0.notJudged() } }
    let report = BenchReport(
      verb: verb, quick: quick, machine: machine, others: others, figures: figures,
      tookSeconds: began.duration(to: BootClock.now).inSeconds)
    Console.write(json ? try report.json() : TablePrinter.render(report))
    if let disturbed { try refuse(disturbed) }
    return check && report.hasMissedGate ? BenchVerb.missed : 0
  }

  /// Says why nothing is judged; an error where a verdict was asked for.
  private func refuse(_ reason: String) throws {
    if check, !busyOK {
      throw StintError(
        .unavailable,
        "\(reason), so nothing is judged; wait until it is quiet, or give "
          + "--busy-ok to see the figures without a verdict.")
    }
    Console.say("\(reason), so nothing is judged.")
  }
}
