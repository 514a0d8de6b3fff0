import Glibc
package import StintCore

/// The lock on a request, with its record (Q6).
///
/// An open-file-description lock, which the process that works on a request shares with what it
/// starts: as long as any of them lives, nobody else begins the work.
package final class RequestLock: Sendable {
  static let fileName = "lock"

  private let store: QueueStore
  private let root: OpenFile
  private let file: OpenFile
  private let held: Protected<QueuedRequest>
  private let isHeld = Protected(true)
  private let hasChanged = Protected(false)

  init(
    _ store: QueueStore, _ root: OpenFile, _ file: OpenFile, _ request: QueuedRequest
  ) {
    (self.store, self.root, self.file) = (store, root, file)
    held = Protected(request)
  }

  deinit {
    giveBack()
    store.fileSystem.close(file)
    store.fileSystem.close(root)
  }

  /// Gives the lock back, also for what the work has left behind, and tells that the request may
  /// have changed.
  package func giveBack() {
    guard isHeld.withLock({ exchange(&$0, with: false) }) else { return }
    store.fileSystem.unlock(file)
    // What failed to change is no news: whoever hears of it would try again at once.
    if hasChanged.withLock({ $0 }) { store.tell(request.id) }
  }

  /// The descriptor that keeps the request locked in a child process.
  package var descriptor: Int32 { file.descriptor }

  package var request: QueuedRequest { held.withLock { $0 } }

  package var path: String { root.path }

  /// Changes the record, durably.
  ///
  /// - Throws: ``StintError`` with the code `io`; the record is then as before.
  package func update(_ change: (inout QueuedRequest) -> Void) throws(StintError) {
    var request = request
    change(&request)
    try store.fileSystem.replace(QueuedRequest.fileName, in: root, with: request.contents)
    held.withLock { $0 = request }
    hasChanged.withLock { $0 = true }
  }

  package func isSet(_ marker: QueueStore.Marker) -> Bool {
    (try? store.fileSystem.exists(marker.rawValue, in: root)) ?? false
  }

  /// What a marker holds; nil if it is not there.
  package func text(of marker: QueueStore.Marker) -> String? { store.text(of: marker, in: root) }

  package func clear(_ marker: QueueStore.Marker) {
    try? store.fileSystem.removeIfPresent(marker.rawValue, in: root)
  }

  /// Opens what the work prints, for appending.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package func openOutput() throws(StintError) -> OpenFile {
    try store.fileSystem.openFile(QueueStore.output, in: root, .append)
  }

  static func take(
    _ name: String = fileName, in root: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> OpenFile? {
    let file = try fileSystem.openFile(name, in: root, .createOrUpdate)
    do throws(StintError) {
      // A folder that was removed meanwhile is nobody's.
      if try fileSystem.lock(file), try fileSystem.isNamed(file, name, in: root) { return file }
    } catch {
      fileSystem.close(file)
      throw error
    }
    fileSystem.close(file)
    return nil
  }

  static func isHeld(
    _ name: String = fileName, in root: OpenFile, fileSystem: any FileSystem
  ) throws(StintError) -> Bool {
    guard let file = try ifPresent(fileSystem.openFile(name, in: root, .update)) else {
      return false
    }
    defer { fileSystem.close(file) }
    return try fileSystem.isLocked(file)
  }
}
