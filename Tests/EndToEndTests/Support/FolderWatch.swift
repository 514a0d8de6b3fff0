import Foundation
import Glibc

/// Wakes as soon as something changes below a directory, by inotify(7): what lasts a millisecond is
/// not missed.
final class FolderWatch {
  private let root: String
  private let descriptor: Int32
  private var watched: Set<String> = []

  init(_ root: String) throws {
    self.root = root
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    watchNewFolders()
  }

  deinit { close(descriptor) }

  /// Waits for a change, or for so long.
  func waitForChange(milliseconds: Int32) {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waited, 1, milliseconds) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while read(descriptor, &buffer, buffer.count) > 0 {}
    watchNewFolders()
  }

  private func watchNewFolders() {
    watch(root)
    for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
      var isFolder: ObjCBool = false
      let path = root + "/" + path
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        watch(path)
      }
    }
  }

  private func watch(_ folder: String) {
    guard watched.insert(folder).inserted else { return }
    let changes = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE
    inotify_add_watch(descriptor, folder, UInt32(bitPattern: changes))
  }
}
