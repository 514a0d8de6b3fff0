import Glibc
package import StintCore

// What a program's own requests say of the request that launches it.

extension QueueStore {
  /// Reads what the program of an application has asked for, and whether it runs.
  func readTasks(
    of entry: inout QueueMachine.Entry, in root: OpenFile
  ) throws(StintError) {
    entry.isProgramRunning = try isProgramRunning(in: root)
    guard let kept = try ifPresent(ScheduleRecord.read(in: root, fileSystem)) else { return }
    // Of a running program only what it has asked for is of interest.
    entry.take(entry.isProgramRunning ? kept : kept.afterEnd(.iOS13), .iOS13)
    entry.forced = try ifPresent(bytes(of: Marker.launch.rawValue, in: root)).map {
      String(decoding: $0, as: UTF8.self)
    }
    if try fileSystem.exists(Marker.fetch.rawValue, in: root) {
      entry.isForced = true
      entry.forced = ScheduleMachine.fetchName
    }
  }

  /// What is kept for the program of an application; nil if there is nothing.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func tasks(of id: String) throws(StintError) -> ScheduleRecord? {
    let root = try ifPresent(fileSystem.openDirectory(at: path(of: id)))
    guard let root else { return nil }
    defer { fileSystem.close(root) }
    return try ifPresent(ScheduleRecord.read(in: root, fileSystem))
  }

  /// Whether a process of the program of an application runs.
  func isProgramRunning(in root: OpenFile) throws(StintError) -> Bool {
    try RequestLock.isHeld(ProgramRequests.lockFile, in: root, fileSystem: fileSystem)
  }

  /// Opens the file by which others hear of a request; when a process that has it open ends, they
  /// hear of that.
  func openNews(of id: String) -> OpenFile? {
    guard let all = try? fileSystem.openDirectory(at: path) else { return nil }
    defer { fileSystem.close(all) }
    return openNews(of: id, in: all)
  }
}
