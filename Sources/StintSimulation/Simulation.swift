import StintCore

package func simulate(seed: UInt64, runs: Int, plant: Plant?) -> String {
  var events = 0, trips = 0, checkpoints = 0, finished = 0, stints = 0, kills = 0
  for index in 0..<runs {
    let s = Draw(seed: seed, part: UInt64(index)).seedValue
    let report = Life(seed: s, plant: plant).run()
    events += report.events; trips += report.trips; checkpoints += report.checkpoints
    stints += report.stints; kills += report.kills
    finished += report.isFinished ? 1 : 0
    if let v = report.violation {
      let again = Life(seed: s, plant: plant, isRecording: true)
      _ = again.run()
      return again.history.suffix(400).joined(separator: "\n")
        + "\n\(index) \(v) \(again.plan.policy)"
    }
  }
  return
    "\(events / runs) events \(trips / runs) trips \(checkpoints / runs) ckpt \(stints/runs) stints \(Double(kills) / Double(runs)) kills, \(finished) finished of \(runs)"
}
extension Draw { var seedValue: UInt64 { var c = self; return c.next() } }
