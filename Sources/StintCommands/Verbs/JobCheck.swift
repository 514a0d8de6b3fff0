import Glibc
import StintCore
import StintRuntime

/// The checks of one job; nothing is changed.
struct JobCheck {
  let view: JobView
  let context: VerbContext

  private var key: String { view.key }
  private var catalog: JobCatalog { context.catalog }

  func items() -> [Finding] {
    [record()] + [journal()] + checkpoints() + partialFiles() + [output()].compactMap { $0 }
      + lineResults()
  }

  private func record() -> Finding {
    let name = JobRecord.fileName
    if view.summary.isHalfMade {
      return Finding(name, .note, "is not there yet; nothing has been kept")
    }
    if view.state == .unreadable, let problem = view.summary.problem {
      return Finding(name, unread: problem)
    }
    guard let record = view.summary.record else {
      let problem = view.summary.problem?.typed
      return Finding(name, .damaged, problem ?? "is missing")
    }
    return Finding(name, .ok, "\(view.what), parameter hash \(record.parameterHash)")
  }

  private func journal() -> Finding {
    let (bytes, unread): ([UInt8], Int)
    do {
      (bytes, unread) = try catalog.journalBytes(of: key)
    } catch {
      return Finding(Journal.fileName, unread: error)
    }
    // A job has records before it has its first checkpoint.
    if bytes.isEmpty, unread == 0, !view.summary.generations.isEmpty {
      let isThere = access("\(view.summary.path)/\(Journal.fileName)", F_OK) == 0
      let why = isThere ? "is empty, as a power cut can leave it" : "is missing"
      return Finding(
        Journal.fileName, isThere ? .note : .damaged,
        "\(why); the job can be continued, without its history")
    }
    let (records, garbageLines) = Journal.parse(bytes)
    var text = "\(records.count) records"
    if unread > 0 {
      text += ", too long: its first \(ReportText.grouped(unread)) bytes were not read"
    }
    if garbageLines > 0 {
      text += ", \(ReportText.count(garbageLines, "unreadable line"))"
    }
    // No line of JSON has such a byte.
    let lostBytes = bytes.count { $0 == 0 }
    if lostBytes > 0 {
      text += ", \(ReportText.grouped(lostBytes)) bytes are zero, as a power cut can leave them"
    }
    let isTorn = bytes.last.map { $0 != UInt8(ascii: "\n") && $0 != 0 } ?? false
    if isTorn { text += ", the last line is incomplete, because its process ended" }
    let state: Finding.State =
      garbageLines > 0 || unread > 0 && records.isEmpty
      ? .damaged : isTorn || lostBytes > 0 ? .note : .ok
    return Finding(Journal.fileName, state, text, sizeBytes: bytes.count)
  }

  private func checkpoints() -> [Finding] {
    var items: [Finding] = []
    do {
      let reports = try catalog.verify(key)
      // A worker removes old generations while they are read.
      let left = Set(try catalog.generations(of: key).map(\.sequence))
      for report in reports where report.isWhole || left.contains(report.sequence) {
        items.append(Self.item(report))
      }
    } catch {
      items.append(Finding("checkpoints", unread: error))
    }
    if let lost = view.summary.lostCheckpoint {
      items.append(
        Finding(
          "checkpoints/\(Generations.name(of: lost))", .damaged,
          "is missing, though the journal names it; put it back, or the one before is used"))
    }
    let isAnyLeft = !items.isEmpty
    for name in view.summary.setAside {
      items.append(Finding("checkpoints/\(name)", .note, "was set aside earlier"))
    }
    if !isAnyLeft, view.kind.keepsCheckpoints, let lost = view.summary.journal.lastCheckpoint {
      items.append(
        Finding(
          "checkpoints", .damaged,
          "are missing, though the journal names checkpoint \(lost.sequence); put it back, "
            + "or start over with --fresh"))
    }
    return items
  }

  private static func item(_ report: GenerationReport) -> Finding {
    let name = "checkpoints/\(Generations.name(of: report.sequence))"
    if let error = report.error { return Finding(name, unread: error) }
    let text =
      report.fault
      ?? "whole, \(ReportText.grouped(report.sizeBytes)) bytes"
      + (report.workTime.map { ", at \($0.compactText) of work" } ?? "")
    return Finding(name, report.fault == nil ? .ok : .damaged, text, sizeBytes: report.sizeBytes)
  }

  /// The partial files against the checksums in the newest checkpoint.
  private func partialFiles() -> [Finding] {
    // A running worker removes files, and writes the next checkpoint, while they are read.
    for _ in 0..<3 where view.summary.isRunning {
      let items = checkedPartialFiles()
      if items.allSatisfy({ $0.state == .ok || $0.state == .note }) { return items }
    }
    return checkedPartialFiles()
  }

  private func checkedPartialFiles() -> [Finding] {
    do {
      let files = try catalog.files(in: "partial", of: key)
      let counted = try catalog.partialOutput(of: key)
      let parts = counted?.parts ?? []
      let names = Set(files.map(\.name)).union(parts.filter { $0.end > $0.start }.map(\.file))
        .union(needsLedger ? [SetLedger.fileName] : [])
      return names.sorted().map { name in
        partialFile(
          name, files.first { $0.name == name }?.status, counted?.sequence,
          parts.filter { $0.file == name })
      }
    } catch {
      return [Finding("partial", unread: error)]
    }
  }

  private func partialFile(
    _ file: String, _ status: FileStatus?, _ sequence: UInt64?, _ parts: [OutputChecksums]
  ) -> Finding {
    let name = "partial/\(file)"
    // The work on a set goes on without the files of an image that has been finished since.
    let damage: Finding.State = view.kind.output == .folder ? .note : .damaged
    let checkpoint = "checkpoint \(sequence ?? 0)"
    guard let status else {
      if isLedger(file), needsLedger {
        return Finding(name, .damaged, "is gone; \(Self.remedy)")
      }
      return Finding(name, damage, "is gone, and \(checkpoint) counts on it")
    }
    guard status.kind == .regular else {
      return Finding(name, .damaged, "is not a regular file")
    }
    if isLedger(file) { return ledger(name) }
    let size = ReportText.grouped(status.sizeBytes)
    guard !parts.isEmpty else {
      let why =
        sequence.map { "checkpoint \($0) has no checksums of them" } ?? "there is no checkpoint"
      return Finding(name, .note, "\(size) bytes, not checked: \(why)", sizeBytes: status.sizeBytes)
    }
    do {
      for part in parts { try catalog.readBack(part, of: key) }
    } catch  where error.code == .damaged {
      return Finding(
        name, damage, "is not what \(checkpoint) counts on: \(error.message)",
        sizeBytes: status.sizeBytes)
    } catch {
      return Finding(name, unread: error)
    }
    let pieces = parts.reduce(0) { $0 + $1.pieces.count }
    let checked = parts.reduce(0) { $0 + $1.sizeBytes }
    var text =
      "\(ReportText.grouped(checked)) of \(size) bytes in \(ReportText.count(pieces, "piece"))"
      + " are as written, by the checksums in \(checkpoint)"
    let taken = parts.reduce(0) { $0 + $1.origin - $1.start }
    if taken > 0 { text += "; \(ReportText.grouped(taken)) bytes of an earlier version have none" }
    return Finding(name, .ok, text, sizeBytes: status.sizeBytes)
  }

  // MARK: The ledger of a set

  private static let remedy = "run the same command again, which makes good what is lost"

  /// Whether the job is a set that was finished, so that it must have a ledger.
  private var needsLedger: Bool {
    view.kind.output == .folder && view.summary.journal.finish?.hasResult == true
  }

  /// Whether a partial file is the ledger of a set.
  private func isLedger(_ file: String) -> Bool {
    view.kind.output == .folder && file == SetLedger.fileName
  }

  /// The ledger of a set of images: each of its lines has a checksum, and the journal says what a
  /// finished set came to.
  private func ledger(_ name: String) -> Finding {
    let bytes: [UInt8]
    do {
      bytes = try JobFileContents.bytes(of: "\(view.summary.path)/\(name)")
    } catch {
      return Finding(name, unread: error)
    }
    let ledger = SetLedger(bytes)
    let finish = view.summary.isRunning ? nil : view.summary.journal.finish
    let count = ledger.damagedLines.count
    if let first = ledger.damagedLines.first {
      return Finding(
        name, .damaged,
        "\(count) of \(ledger.lineCount + (ledger.isTorn ? 1 : 0)) lines "
          + "\(count == 1 ? "is" : "are") damaged, the first at byte \(ReportText.grouped(first)); "
          + Self.remedy, sizeBytes: bytes.count)
    }
    if ledger.lacks(finish) {
      return Finding(
        name, .damaged, "lacks lines of results that the journal tells of; \(Self.remedy)",
        sizeBytes: bytes.count)
    }
    var text = "\(ledger.lineCount) line\(ledger.lineCount == 1 ? " is" : "s are") as written"
    if ledger.blankCount > 0 { text += ", \(ledger.blankCount) of them blank since earlier damage" }
    if ledger.isTorn { text += "; the last line is incomplete, because its process ended" }
    return Finding(name, ledger.isTorn ? .note : .ok, text, sizeBytes: bytes.count)
  }

  // MARK: Results

  /// The finished result against the record of its length and checksum.
  private func output() -> Finding? {
    guard let finish = view.summary.journal.finish else { return nil }
    guard let path = view.summary.record?.outputPath else {
      return Finding("standard output", .note, "the result was written there and is not kept")
    }
    let name = path.text
    if view.kind.output == .folder {
      return Finding(
        name, .note,
        "is the folder of the results, which were not read; running the same command again "
          + "looks at each of them")
    }
    if finish.checksum.isEmpty {
      return Finding(name, .note, "its length and checksum are not known")
    }
    guard let folder = path.folder else { return nil }
    var status = stat()
    if lstat(name, &status) == 0,
      ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT)
    {
      return Finding(name, .note, "is a stream; the result is not kept")
    }
    let file = OutputFile(
      OutputDestination(target: .file(directory: folder, name: path.name)), replacesOthers: false)
    let result = "\(ReportText.grouped(finish.sizeBytes)) bytes, XXH3-128 \(finish.checksum)"
    do {
      let recorded = JournalSummary.Publishing(
        sizeBytes: finish.sizeBytes, checksum: finish.checksum)
      switch try file.existing(recorded: recorded) {
      case .result:
        return Finding(name, .ok, "is the result: \(result)", sizeBytes: finish.sizeBytes)
      case .nothing:
        return Finding(name, .damaged, "is gone; run the job again")
      case .other:
        return Finding(name, .damaged, "is not the result that was recorded (\(result))")
      }
    } catch {
      return Finding(name, unread: error)
    }
  }

  /// The results of a batch's finished lines, each against the record of the job that made it.
  private func lineResults() -> [Finding] {
    guard view.kind.name == Kind.batch.name else { return [] }
    let marks = BatchLog.entries(in: view.summary.path).compactMap(\.value.output)
    guard !marks.isEmpty, let jobs = try? catalog.jobs() else { return [] }
    let base = JobsBase(jobsPath: catalog.jobsPath)
    return marks.sorted { $0.path.text < $1.path.text }.map { mark in
      let place = mark.place(base)
      let job = jobs.last { $0.record?.outputPath == place && $0.isFinished }
      if let job, let item = JobCheck(view: context.view(of: job.key), context: context).output() {
        return item
      }
      return mark.holds(base)
        ? Finding(
          place.text, .note, "has the size, time and inode of the result; no job has its checksum",
          sizeBytes: mark.sizeBytes)
        : Finding(
          place.text, .damaged,
          "is not the result of its line by size, time or inode; run the batch again")
    }
  }
}
