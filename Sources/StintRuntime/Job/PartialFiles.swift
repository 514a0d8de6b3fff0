import StintCore

/// The partial files that this process has opened; the directory may not be there yet.
final class PartialFiles: Sendable {
  private struct State {
    var files: [String: JobPartialFile] = [:]
    var entriesChanged = false
  }

  private let fileSystem: any FileSystem
  private let state = Protected(State())

  init(fileSystem: any FileSystem) {
    self.fileSystem = fileSystem
  }

  subscript(name: String) -> JobPartialFile? { state.withLock { $0.files[name] } }

  /// The checksums that are kept, by file and start.
  var checksums: [OutputChecksums] {
    let files = state.withLock { $0.files }
    return files.sorted { $0.key < $1.key }.flatMap { $0.value.checksums(of: $0.key) }
  }

  /// The file that all calls give from now on: this one, unless another call was faster.
  func keep(_ file: JobPartialFile, as name: String) -> JobPartialFile {
    state.withLock { state in
      if let other = state.files[name] { return other }
      state.files[name] = file
      state.entriesChanged = true
      return file
    }
  }

  func forget(_ name: String) {
    state.withLock { _ = $0.files.removeValue(forKey: name) }
  }

  /// Lets go of all files; each is closed when its last user has gone.
  func forgetAll() {
    let files = state.withLock { exchange(&$0.files, with: [:]) }
    withExtendedLifetime(files) {}
  }

  /// The folder has to be synchronized once more.
  func entriesDidChange() {
    state.withLock { $0.entriesChanged = true }
  }

  /// Gives the files that have no name yet their names; the directory has just been made.
  ///
  /// An earlier call may have come only so far, and a file that loses its only name never gets one
  /// again.
  func adopt(by folder: OpenFile) throws(StintError) {
    let files = state.withLock { state in
      state.entriesChanged = true
      return state.files
    }
    // In one order, so that a history that a seed decides is the same at every run.
    for (name, file) in files.sorted(by: { $0.key < $1.key })
    where try !fileSystem.isNamed(file.file, name, in: folder) {
      try fileSystem.removeIfPresent(name, in: folder)
      try fileSystem.giveName(name, in: folder, to: file.file)
    }
  }

  /// Makes everything durable: the bytes of files that changed, and the folder if files came or
  /// went.
  func synchronize(in folder: @autoclosure () -> OpenFile?) throws(StintError) {
    let (files, entriesChanged) = state.withLock { state in
      defer { state.entriesChanged = false }
      return (state.files.sorted { $0.key < $1.key }.map(\.value), state.entriesChanged)
    }
    do throws(StintError) {
      for file in files { try file.synchronize() }
      // Without a folder there are no entries; its making changes them anew.
      guard entriesChanged, let folder = folder() else { return }
      try fileSystem.synchronize(folder)
    } catch {
      entriesDidChange()
      throw error
    }
  }
}
