import StintCore
import StintReport
import StintRuntime

extension ReportCommand {
  /// The report of all shards of a whole: the sums, and each shard in a row, a track or an object.
  ///
  /// - Throws: ``StintError``: `usage` for a page, which is of one job.
  func report(_ key: String) throws -> VerbResult {
    let whole = try context.whole(key)
    if context.parsed.has("html") {
      throw StintError(
        .usage, "--html makes the page of one job; name one of the shards of \(key).")
    }
    var result = VerbResult(exitStatus: whole.exitStatus)
    var reports: [(shard: Shard, view: JobView, account: JobAccount)] = []
    for part in whole.parts {
      guard let view = part.work, view.state != .foreign else { continue }
      reports.append((part.shard, view, account(of: view, warnings: &result.messages)))
    }
    let sums = WholeFigures(reports.map(\.account))
    if let trace = context.parsed.text("trace") {
      if trace == "-", context.wantsJSON {
        throw StintError(.usage, "Only one document fits on the standard output; name files.")
      }
      let tracks = reports.map {
        TraceFile.Track(name: "\($0.shard) (\($0.view.key))", life: $0.account.life)
      }
      try Document(TraceFile(tracks).json).write(to: trace)
    }
    if context.wantsJSON {
      var json = whole.json
      sums.add(to: &json)
      json.add(
        "reports",
        objects: reports.map { ReportJSONDocument(account: $0.account, view: $0.view).json })
      result.output += json.line
    } else if !context.parsed.has("trace") {
      var table = TextTable([
        ("SHARD", .right), ("STINTS", .right), ("ELAPSED", .right), ("WORK", .right),
        ("LOST", .right), ("CHECKPOINTS", .right),
      ])
      for report in reports {
        table.add([report.shard.text] + WholeFigures([report.account]).cells)
      }
      table.add(["all"] + sums.cells)
      result.output += whole.text + "\n" + table.render(indent: 2)
    }
    return result
  }
}

extension ReportCommand {
  /// The report of an array of chains: the sums of the work of all chains that have begun.
  ///
  /// - Throws: ``StintError``: `usage` for a page or a trace, which are of one job.
  func report(_ array: ChainArrayView) throws -> VerbResult {
    guard !context.parsed.has("html"), !context.parsed.has("trace") else {
      throw StintError(
        .usage, "--html and --trace are of one job; name the work of one chain of \(array.key).")
    }
    var result = VerbResult()
    var sums = WholeFigures([])
    var (slices, begun) = (0, 0)
    let lines = try ChainArray.lines(in: array.path, of: array.key)
    for place in 1...max(1, array.record.members?.handedOver ?? 1) {
      guard let chain = try? lines.chain(at: place, of: array.record),
        let view = ChainView(
          of: ChainArray.key(of: chain, in: array.key), in: context.catalog)
      else { continue }
      begun += 1
      slices += context.history(of: view.key).stints.count
      // Work that failed at once leaves no job.
      guard let work = view.work.map(context.view(of:)), work.state != .foreign,
        work.summary.record != nil
      else { continue }
      sums.add(account(of: work, warnings: &result.messages))
    }
    if context.wantsJSON {
      var json = array.json
      json.add("begun", begun)
      json.add("slices", slices)
      sums.add(to: &json)
      result.output = json.line
    } else {
      var table = TextTable([
        ("CHAINS", .right), ("SLICES", .right), ("STINTS", .right), ("ELAPSED", .right),
        ("WORK", .right), ("LOST", .right), ("CHECKPOINTS", .right),
      ])
      table.add([String(begun), String(slices)] + sums.cells)
      result.output = array.text + "\n" + table.render(indent: 2)
    }
    return result
  }
}

/// The figures of several jobs together.
private struct WholeFigures {
  /// Whether one of them tells of work.
  var countsWork = false
  var stints = 0
  var elapsed = Duration.zero
  var workTime = Duration.zero
  var lost = Duration.zero
  var checkpoints = 0

  init(_ accounts: [JobAccount]) { accounts.forEach { add($0) } }

  mutating func add(_ account: JobAccount) {
    let figures = account.figures
    countsWork = countsWork || figures.countsWork
    stints += figures.stints
    elapsed += figures.elapsed
    workTime += account.workTime
    lost += figures.lost
    checkpoints += figures.checkpoints
  }

  var cells: [String] {
    [
      String(stints), elapsed.compactText, countsWork ? workTime.compactText : "-",
      countsWork ? lost.compactText : "-", countsWork ? String(checkpoints) : "-",
    ]
  }

  func add(to json: inout JSONLine) {
    json.add("stints", stints)
    json.add("elapsedSeconds", seconds: elapsed)
    json.add("workTimeSeconds", seconds: workTime)
    json.add("lostSeconds", seconds: lost)
    json.add("checkpoints", checkpoints)
  }
}
