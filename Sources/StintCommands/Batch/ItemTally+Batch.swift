import StintCore
import StintRuntime

extension ItemTally {
  /// Reads the log of a batch that does a part of its file; nil if there is none.
  init?(linesAt path: String) {
    guard let bytes = try? JobFileContents.bytes(of: "\(path)/\(JobFiles.batchShare)"),
      let share = try? BatchShare(contents: bytes)
    else { return nil }
    self.init(wholeCount: share.count, count: share.keys.count)
    let log = BatchLog.fold(
      (try? JobFileContents.bytes(of: "\(path)/\(JobFiles.batchLog)")) ?? [])
    let last = Dictionary(log.lastRecords.map { ($0.key, $0) }) { $1 }
    for key in share.keys {
      switch log.entries[key]?.history {
      case .finished: done += 1
      case .failed:
        let record = last[key]
        failures.append(
          Failure(
            number: record?.line ?? 0,
            name: record?.words?.map(ShellWord.quoted).joined(separator: " ") ?? key,
            why: record?.howItFailed))
      case .begun, .fresh, nil: break
      }
    }
    failures.sort { $0.number < $1.number }
  }
}

extension BatchRecord {
  /// Why the line failed, as a clause; nil if nobody said.
  fileprivate var howItFailed: String? {
    let parts = [endedBy, reason].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
