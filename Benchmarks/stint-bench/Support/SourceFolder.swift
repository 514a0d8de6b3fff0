import Foundation
import StintCore

/// A folder of Stint's source tree, from which programs are compiled or run when a benchmark needs
/// them.
enum SourceFolder {
  /// Finds a folder, given from the top of the source tree, below the working directory, or below a
  /// folder above this program.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  static func find(_ folder: String, holding file: String) throws -> String {
    var candidates = [URL(filePath: FileManager.default.currentDirectoryPath)]
    var above = URL(filePath: try ChildProcess.ownPath()).deletingLastPathComponent()
    while above.path() != "/" {
      candidates.append(above)
      above = above.deletingLastPathComponent()
    }
    for candidate in candidates {
      let sources = candidate.appending(path: folder)
      if FileManager.default.fileExists(atPath: sources.appending(path: file).path()) {
        return sources.path()
      }
    }
    throw StintError(
      .unavailable,
      "\(folder) with \(file) is neither below the working directory nor above this program; run it "
        + "in Stint's source tree.")
  }
}
