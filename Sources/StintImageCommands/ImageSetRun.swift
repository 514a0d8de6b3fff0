#if Images
import Glibc
import StintCommands
package import StintCore
package import StintImages
package import StintRuntime

/// `stint run image --output-dir`: from the validated command line to a worker that runs.
struct ImageSetRun {
  var work: ImageSetWork
  let launch: Launch
  let options: RunOptions

  /// Checks everything that can be checked before the work, then runs until the process ends.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  mutating func run() throws -> Never {
    launch.start.limitOpening(options)
    try work.complete(options)
    let catalog = try JobCatalog(jobsDirectory: options.jobsDirectory)
    let folder = try work.absoluteFolder
    let whole = try work.check(options, in: catalog, as: work.shard ?? work.plan.cut?.shard)
    for notice in work.notices where !options.display.quiet {
      complain(notice.typed)
    }
    if let shard = work.shard {
      try work.refuseOtherDealing(of: whole, shard, in: catalog)
      work.plan = work.plan.part(shard, of: whole, in: work.frozen)
    }
    try VipsLibrary.start(threads: options.threadCount)
    try VipsLibrary.trust(work.plan.trusted)
    if options.isDryRun {
      let survey = ImageSetSurvey(work.plan, threads: options.threadCount)
      let refusals = work.plan.ownRefused.map(\.full)
      for failure in refusals + survey.failures where !options.display.quiet {
        complain(failure)
      }
      try launch.runner(options).run(estimate: survey.estimate, showsEnds: false) { output in
        try computation(into: "/", lacksLines: false, output)
      }
    }
    try make(folder.text)
    let estimate = ImageEstimate(of: work.plan)
    let lacksLines = lacksLines(in: folder, catalog)
    try launch.runner(options).run(estimate: estimate, showsEnds: false) { output in
      for refused in work.plan.ownRefused {
        output.tellImage(refused.name, error: refused.error)
      }
      return try computation(into: folder.text, lacksLines: lacksLines, output)
    }
  }

  /// Whether the set was finished with results that its ledger does not tell of.
  private func lacksLines(in folder: FilePath, _ catalog: JobCatalog) -> Bool {
    let key = options.forms(
      kind: ImageSetComputation.kind, parameters: work.plan.parameters, outputPath: folder
    ).chosen(in: options.jobsDirectory, fileSystem: PosixFileSystem()).key.description
    let summary = catalog.summary(of: key)
    guard !options.fresh, !summary.isRunning, let finish = summary.journal.finish else {
      return false
    }
    do throws(StintError) {
      return SetLedger(try ImageSetWork.ledger(of: key, in: options.jobsDirectory)).lacks(finish)
    } catch {
      // An error of the device says nothing; the run meets it, too.
      return error.errno == ENOENT
    }
  }

  /// Makes the folder of the results, if it is not there.
  private func make(_ folder: String) throws {
    guard mkdir(folder, 0o777) != 0 else {
      let fileSystem = PosixFileSystem()
      // Who may not read the folder above cannot make the name durable.
      guard let above = FilePath(folder).folder?.text,
        let parent = try? fileSystem.openDirectory(at: above)
      else { return }
      defer { fileSystem.close(parent) }
      return try fileSystem.synchronize(parent)
    }
    guard errno != EEXIST else { return }
    throw StintError.ofOutput(
      "The folder \(folder) cannot be made: \(String(cString: strerror(errno))).", errno: errno)
  }

  private func computation(
    into folder: String, lacksLines: Bool, _ output: ResultOutput
  ) throws -> ImageSetComputation {
    let options = options
    let notices = NoticeFilter()
    var hooks = ImageSetComputation.Hooks()
    hooks.now = { BootClock.now }
    hooks.admit = { try Self.admit($0, options) }
    hooks.advise = { estimate in
      guard let (grant, _) = options.time.grant() else { return "" }
      // By the cost model, but more than the one that did not do.
      let least = max(DryRun.leastBudget(estimate), grant * 2)
      return " Give it a budget of at least about \(least.compactText), or write PNG or TIFF, "
        + "which are written in bands."
    }
    hooks.sentence = { $0.typed }
    hooks.tell = { event in
      switch event {
      case .done(let input, let path, let result):
        output.tellImage(
          input, output: path,
          published: .init(sizeBytes: result.sizeBytes, checksum: result.checksum.description))
      case .failed(let input, let error):
        output.tellImage(input, error: error)
      case .notice(let notice):
        if !options.display.quiet, let sentence = notices.admitted(notice.typed) {
          output.say(sentence)
        }
      }
    }
    hooks.finish = { account in
      // No notice of an image, of which only the first are shown.
      if !options.display.quiet, let notice = account.orphansNotice(in: folder) {
        output.say(notice.typed)
      }
      output.deliver(account)
    }
    var limits = ImageSetComputation.Limits()
    // A stint holds several images, whatever one of them costs when the stint ends.
    if let (grant, _) = options.time.grant() {
      limits.longest = min(limits.longest, grant / 8)
      limits.longestUnmeasured = min(limits.longestUnmeasured, grant / 8)
    }
    // Each thread has one image at a time, and one more waits for the disk.
    let share = (Memory.available() ?? 0) / (4 * (options.threadCount + 1))
    limits.pixelBytes = min(max(limits.pixelBytes, share), 256 << 20)
    return try ImageSetComputation(
      work.plan, into: folder, replacesOthers: options.force, threads: options.threadCount,
      staysBetweenStints: options.time.untilDone || options.time.isUnlimited,
      streams: options.time.isUnlimited && launch.start.invitation == nil,
      removesOrphans: work.removesOrphans, lacksLines: lacksLines, hooks: hooks, limits: limits)
  }

  /// Refuses an image that cannot fit this machine or this budget; the others go on.
  private static func admit(_ estimate: ImageEstimate, _ options: RunOptions) throws {
    try estimate.checkFits(
      memoryAvailable: Memory.available(),
      diskAvailable: try Disk.available(near: options.jobsDirectory))
    try ImageRun.refuseHopeless(estimate, options)
  }
}

/// Says each notice once, and not thousands of them.
private final class NoticeFilter: Sendable {
  private static let most = 20

  /// By their bytes: two files may have names that look the same.
  private let said = Protected<Set<[UInt8]>>([])

  func admitted(_ sentence: String) -> String? {
    said.withLock { said in
      guard said.count <= Self.most, said.insert(Array(sentence.utf8)).inserted else { return nil }
      return said.count <= Self.most
        ? sentence : "more notices of this kind follow; they are not shown"
    }
  }
}

extension ImageSetAccount: ManyResults {
  package var published: OutputFile.Published {
    .init(sizeBytes: sizeBytes, checksum: checksum.description)
  }

  package var areOld: Bool { madeNow == 0 }

  package func sentence(in folder: String, _ report: StatusReport, stints: Int) -> String {
    let size =
      "\(ReportText.grouped(files)) image\(files == 1 ? "" : "s"), "
      + "\(ReportText.grouped(sizeBytes)) bytes"
    if areOld {
      return "Finished before: \(folder), \(size). --fresh computes them again."
    }
    return "Finished: \(folder), \(size), \(ReportText.grouped(madeNow)) of them in this run; "
      + "\(report.workTime.compactText) of work in \(stints) stint\(stints > 1 ? "s" : ""), "
      + "\(report.elapsed.compactText) in this run."
  }

  package func add(to json: inout JSONLine) {
    json.add("inputs", count)
    json.add("inputsDone", done)
    json.add("inputsFailed", failures.count)
    json.add("files", files)
    json.add("filesMadeNow", madeNow)
    json.add("orphans", orphans.map(\.text))
    json.add("orphansDeleted", isTrue: orphansAreRemoved)
    json.add(
      "failures",
      objects: failures.map { failure in
        var object = JSONLine()
        object.add("input", failure.input)
        object.add("code", failure.error.code.description)
        object.add("error", Sentence.of(failure.error))
        return object
      })
  }
}

extension ResultOutput {
  /// Tells of one image of many, to whoever asked for events: its result, or why there is none.
  func tellImage(
    _ input: String, output: String? = nil, published: OutputFile.Published? = nil,
    error: StintError? = nil
  ) {
    if let error {
      say(error.typed.holds(input) ? error.typed : "\(input): \(error.typed)")
    }
    tellPart("image") { json in
      json.add("input", input)
      json.add("outcome", error == nil ? "done" : "failed")
      json.add("output", output)
      json.add("sizeBytes", published?.sizeBytes)
      json.add("xxh3", published?.checksum)
      json.add("code", error?.code.description)
      json.add("error", error.map { Sentence.of($0) })
    }
  }
}
#endif
