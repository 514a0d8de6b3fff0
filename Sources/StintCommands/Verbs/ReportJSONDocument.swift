import StintCore
import StintReport

/// `stint report JOB --json` (`docs/formats/cli-json.md`).
struct ReportJSONDocument {
  let account: JobAccount
  let view: JobView
  var tally: ItemTally?

  var json: JSONLine {
    let figures = account.figures
    var json = JSONLine()
    json.add("job", account.name)
    json.add("what", account.what)
    json.add("state", view.state.rawValue)
    json.add("log", account.log)
    json.add("problems", account.problems)
    json.add("fraction", account.fraction)
    json.add("lines", object: tally?.countsJSON)
    if let tally { json.add("failures", objects: tally.failures.map(\.json)) }
    json.add("stints", figures.stints)
    json.add("grantedSeconds", seconds: figures.granted)
    json.add("savedSeconds", seconds: figures.saved)
    json.add("savedShare", figures.savedShare)
    json.add("workTimeSeconds", seconds: account.workTime)
    json.add("elapsedSeconds", seconds: figures.elapsed)
    json.add("spanSeconds", seconds: figures.span)
    json.add("lostSeconds", seconds: figures.lost)
    json.add("stintsThatLost", figures.stintsThatLost)
    json.add("stintsUntold", figures.stintsUntold)
    json.add("untoldSeconds", seconds: figures.untold)
    json.add("checkpoints", figures.checkpoints)
    json.add("failedCheckpoints", figures.failedCheckpoints)
    json.add("checkpointBytes", figures.checkpointBytes)
    if !figures.costs.isEmpty {
      var costs = JSONLine()
      costs.add("sum", seconds: figures.cost)
      costs.add("median", seconds: figures.cost(quantile: 0.5))
      costs.add("p99", seconds: figures.cost(quantile: 0.99))
      costs.add("maximum", seconds: figures.costs.last)
      json.add("checkpointSeconds", object: costs)
    }
    json.add("expiries", objects: figures.expiries.map(Self.object))
    json.add("endings", objects: figures.endings.map(Self.object))
    json.add("overruns", figures.overruns)
    json.add("longestOvershootSeconds", seconds: figures.longestOvershoot)
    json.add("expectedRestSeconds", seconds: account.expectedRest)
    json.add("expectedStints", account.expectedStints)
    json.add("life", objects: account.life.stints.map(Self.object))
    return json
  }

  private static func object(_ count: LifeFigures.Count) -> JSONLine {
    var json = JSONLine()
    json.add("reason", count.words)
    json.add("count", count.count)
    return json
  }

  private static func object(_ stint: LifeStint) -> JSONLine {
    var json = JSONLine()
    json.add("beganSeconds", seconds: stint.began)
    json.add("pid", stint.process)
    json.add("budgetSeconds", seconds: stint.budget)
    json.add("elapsedSeconds", seconds: stint.elapsed)
    json.add("savedSeconds", seconds: stint.saved)
    json.add("savedShare", stint.savedShare)
    json.add("lostSeconds", seconds: stint.lost)
    json.add("ending", stint.ending.rawValue)
    json.add("words", stint.words)
    json.add("checkpoints", objects: stint.checkpoints.map(object))
    json.add("expiries", objects: stint.expiries.map(object))
    json.add("remarks", objects: stint.remarks.map(object))
    return json
  }

  private static func object(_ checkpoint: LifeStint.Checkpoint) -> JSONLine {
    var json = JSONLine()
    json.add("atSeconds", seconds: checkpoint.at)
    json.add("tookSeconds", seconds: checkpoint.took)
    json.add("sizeBytes", checkpoint.sizeBytes)
    json.add("workTimeSeconds", seconds: checkpoint.workTime)
    return json
  }

  private static func object(_ expiry: LifeStint.Expiry) -> JSONLine {
    var json = JSONLine()
    json.add("atSeconds", seconds: expiry.at)
    json.add("reason", expiry.reason)
    json.add("deadlineSeconds", seconds: expiry.deadline)
    return json
  }

  private static func object(_ remark: LifeStint.Remark) -> JSONLine {
    var json = JSONLine()
    json.add("atSeconds", seconds: remark.at)
    json.add("kind", remark.kind.rawValue)
    json.add("text", remark.text)
    return json
  }
}
