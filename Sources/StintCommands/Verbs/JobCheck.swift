import Glibc
import StintCore
import StintRuntime

/// One thing that was checked.
struct CheckedItem: Hashable, Sendable {
  enum State: String, Hashable, Sendable {
    case ok, note, damaged
    /// The device or the system gave an error, which says nothing of the file.
    case unreadable
  }

  /// The file, below the job's directory or absolute.
  var name: String
  var state: State
  /// What was found, without a full stop.
  var text: String
  var sizeBytes: Int?

  var json: JSONLine {
    var json = JSONLine()
    json.add("name", name)
    json.add("state", state.rawValue)
    json.add("text", text)
    json.add("sizeBytes", sizeBytes)
    return json
  }
}

extension CheckedItem {
  /// Something that could not be read.
  init(name: String, unread error: any Error) {
    let error = StintError(wrapping: error, while: "reading")
    let saysNothing = error.code == .io && !error.isOfTheFile
    self.init(name: name, state: saysNothing ? .unreadable : .damaged, text: error.typed)
  }
}

/// The checks of one job; nothing is changed.
struct JobCheck {
  let view: JobView
  let context: VerbContext

  private var key: String { view.key }
  private var catalog: JobCatalog { context.catalog }

  func items() -> [CheckedItem] {
    [record()] + [journal()] + checkpoints() + partialFiles() + [output()].compactMap { $0 }
      + lineResults()
  }

  private func record() -> CheckedItem {
    let name = JobRecord.fileName
    if view.summary.isHalfMade {
      return CheckedItem(name: name, state: .note, text: "is not there yet; nothing has been kept")
    }
    if view.state == .unreadable, let problem = view.summary.problem {
      return CheckedItem(name: name, unread: problem)
    }
    guard let record = view.summary.record else {
      let problem = view.summary.problem?.typed
      return CheckedItem(name: name, state: .damaged, text: problem ?? "is missing")
    }
    return CheckedItem(
      name: name, state: .ok, text: "\(view.what), parameter hash \(record.parameterHash)")
  }

  private func journal() -> CheckedItem {
    let (bytes, unread): ([UInt8], Int)
    do {
      (bytes, unread) = try catalog.journalBytes(of: key)
    } catch {
      return CheckedItem(name: Journal.fileName, unread: error)
    }
    // A job has records before it has its first checkpoint.
    if bytes.isEmpty, unread == 0, !view.summary.generations.isEmpty {
      let isThere = access("\(view.summary.path)/\(Journal.fileName)", F_OK) == 0
      let why = isThere ? "is empty, as a power cut can leave it" : "is missing"
      return CheckedItem(
        name: Journal.fileName, state: isThere ? .note : .damaged,
        text: "\(why); the job can be continued, without its history")
    }
    let (records, garbageLines) = Journal.parse(bytes)
    var text = "\(records.count) records"
    if unread > 0 {
      text += ", too long: its first \(ReportText.grouped(unread)) bytes were not read"
    }
    if garbageLines > 0 {
      text += ", \(garbageLines) unreadable line\(garbageLines == 1 ? "" : "s")"
    }
    // No line of JSON has such a byte.
    let lostBytes = bytes.count { $0 == 0 }
    if lostBytes > 0 {
      text += ", \(ReportText.grouped(lostBytes)) bytes are zero, as a power cut can leave them"
    }
    let isTorn = bytes.last.map { $0 != UInt8(ascii: "\n") && $0 != 0 } ?? false
    if isTorn { text += ", the last line is incomplete, because its process ended" }
    let state: CheckedItem.State =
      garbageLines > 0 || unread > 0 && records.isEmpty
      ? .damaged : isTorn || lostBytes > 0 ? .note : .ok
    return CheckedItem(name: Journal.fileName, state: state, text: text, sizeBytes: bytes.count)
  }

  private func checkpoints() -> [CheckedItem] {
    var items: [CheckedItem] = []
    do {
      let reports = try catalog.verify(key)
      // A worker removes old generations while they are read.
      let left = Set(try catalog.generations(of: key).map(\.sequence))
      for report in reports where report.isWhole || left.contains(report.sequence) {
        items.append(Self.item(report))
      }
    } catch {
      items.append(CheckedItem(name: "checkpoints", unread: error))
    }
    if let lost = view.summary.lostCheckpoint {
      items.append(
        CheckedItem(
          name: "checkpoints/\(Generations.name(of: lost))", state: .damaged,
          text: "is missing, though the journal names it; put it back, or the one before is used"))
    }
    let isAnyLeft = !items.isEmpty
    for name in view.summary.setAside {
      items.append(
        CheckedItem(name: "checkpoints/\(name)", state: .note, text: "was set aside earlier"))
    }
    if !isAnyLeft, view.kind.keepsCheckpoints, let lost = view.summary.journal.lastCheckpoint {
      items.append(
        CheckedItem(
          name: "checkpoints", state: .damaged,
          text: "are missing, though the journal names checkpoint \(lost.sequence); put it back, "
            + "or start over with --fresh"))
    }
    return items
  }

  private static func item(_ report: GenerationReport) -> CheckedItem {
    let name = "checkpoints/\(Generations.name(of: report.sequence))"
    if let error = report.error { return CheckedItem(name: name, unread: error) }
    let text =
      report.fault
      ?? "whole, \(ReportText.grouped(report.sizeBytes)) bytes"
      + (report.workTime.map { ", at \($0.compactText) of work" } ?? "")
    return CheckedItem(
      name: name, state: report.fault == nil ? .ok : .damaged, text: text,
      sizeBytes: report.sizeBytes)
  }

  /// The partial files against the checksums in the newest checkpoint.
  private func partialFiles() -> [CheckedItem] {
    // A running worker removes files, and writes the next checkpoint, while they are read.
    for _ in 0..<3 where view.summary.isRunning {
      let items = checkedPartialFiles()
      if items.allSatisfy({ $0.state == .ok || $0.state == .note }) { return items }
    }
    return checkedPartialFiles()
  }

  private func checkedPartialFiles() -> [CheckedItem] {
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
      return [CheckedItem(name: "partial", unread: error)]
    }
  }

  private func partialFile(
    _ file: String, _ status: FileStatus?, _ sequence: UInt64?, _ parts: [OutputChecksums]
  ) -> CheckedItem {
    let name = "partial/\(file)"
    // The work on a set goes on without the files of an image that has been finished since.
    let damage: CheckedItem.State = view.kind.output == .folder ? .note : .damaged
    let checkpoint = "checkpoint \(sequence ?? 0)"
    guard let status else {
      if isLedger(file), needsLedger { return goneLedger(name) }
      return CheckedItem(
        name: name, state: damage, text: "is gone, and \(checkpoint) counts on it")
    }
    guard status.kind == .regular else {
      return CheckedItem(name: name, state: .damaged, text: "is not a regular file")
    }
    if isLedger(file) { return ledger(name) }
    let size = ReportText.grouped(status.sizeBytes)
    guard !parts.isEmpty else {
      let why =
        sequence.map { "checkpoint \($0) has no checksums of them" } ?? "there is no checkpoint"
      return CheckedItem(
        name: name, state: .note, text: "\(size) bytes, not checked: \(why)",
        sizeBytes: status.sizeBytes)
    }
    do {
      for part in parts { try catalog.readBack(part, of: key) }
    } catch  where error.code == .damaged {
      return CheckedItem(
        name: name, state: damage,
        text: "is not what \(checkpoint) counts on: \(error.message)", sizeBytes: status.sizeBytes)
    } catch {
      return CheckedItem(name: name, unread: error)
    }
    let pieces = parts.reduce(0) { $0 + $1.pieces.count }
    let checked = parts.reduce(0) { $0 + $1.sizeBytes }
    var text =
      "\(ReportText.grouped(checked)) of \(size) bytes in \(pieces) piece\(pieces == 1 ? "" : "s")"
      + " are as written, by the checksums in \(checkpoint)"
    let taken = parts.reduce(0) { $0 + $1.origin - $1.start }
    if taken > 0 { text += "; \(ReportText.grouped(taken)) bytes of an earlier version have none" }
    return CheckedItem(name: name, state: .ok, text: text, sizeBytes: status.sizeBytes)
  }

  /// The finished result against the record of its length and checksum.
  private func output() -> CheckedItem? {
    guard let finish = view.summary.journal.finish else { return nil }
    guard let path = view.summary.record?.outputPath else {
      return CheckedItem(
        name: "standard output", state: .note, text: "the result was written there and is not kept")
    }
    let name = path.text
    if view.kind.output == .folder {
      return CheckedItem(
        name: name, state: .note,
        text: "is the folder of the results, which were not read; running the same command again "
          + "looks at each of them")
    }
    if finish.checksum.isEmpty {
      return CheckedItem(name: name, state: .note, text: "its length and checksum are not known")
    }
    guard let folder = path.folder else { return nil }
    var status = stat()
    if lstat(name, &status) == 0,
      ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT)
    {
      return CheckedItem(name: name, state: .note, text: "is a stream; the result is not kept")
    }
    let file = OutputFile(
      OutputDestination(target: .file(directory: folder, name: path.name)), replacesOthers: false)
    let result = "\(ReportText.grouped(finish.sizeBytes)) bytes, XXH3-128 \(finish.checksum)"
    do {
      let recorded = JournalSummary.Publishing(
        sizeBytes: finish.sizeBytes, checksum: finish.checksum)
      switch try file.existing(recorded: recorded) {
      case .result:
        return CheckedItem(
          name: name, state: .ok, text: "is the result: \(result)", sizeBytes: finish.sizeBytes)
      case .nothing:
        return CheckedItem(name: name, state: .damaged, text: "is gone; run the job again")
      case .other:
        return CheckedItem(
          name: name, state: .damaged, text: "is not the result that was recorded (\(result))")
      }
    } catch {
      return CheckedItem(name: name, unread: error)
    }
  }

  /// The results of a batch's finished lines, each against the record of the job that made it.
  private func lineResults() -> [CheckedItem] {
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
        ? CheckedItem(
          name: place.text, state: .note,
          text: "has the size, time and inode of the result; no job has its checksum",
          sizeBytes: mark.sizeBytes)
        : CheckedItem(
          name: place.text, state: .damaged,
          text: "is not the result of its line by size, time or inode; run the batch again")
    }
  }
}
