#if Images
import Glibc
import StintRuntime
package import StintCore

/// The file that an image is read from: opened once, so that nobody can put another one in its
/// place while a stint runs.
package final class SourceFile: StreamedFile {
  /// What shows that a file has changed, without reading it.
  package struct Identity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var sizeBytes: Int
    /// The last change of the contents, in nanoseconds since 1970.
    package var modified: Int64
    /// The last change of the contents or of the file's own data, which nobody can set back.
    package var changed: Int64
  }

  /// The absolute path with every link resolved, as it was when the file was opened.
  package let path: FilePath
  /// What the file was when it was opened.
  package let identity: Identity

  let file: OpenFile
  /// All bytes of a small file, from when they were read for its checksum: what is decoded then is
  /// what was read, and nobody has to open the file again.
  var contents: PixelMemory? { held.withLock { $0 } }

  let held = Protected<PixelMemory?>(nil)
  /// The error of a read by a decoder that the device refused.
  ///
  /// What the decoder says then tells nothing of the file.
  private let readError = Protected<StintError?>(nil)
  /// What a decoder has read last, if it reads the file as a stream.
  let reached = Protected<Range<Int>>(0..<0)

  /// Opens a file for reading.
  ///
  /// - Parameter argument: The path that the user gave.
  /// - Throws: ``StintError``: `usage` for what is no regular file, `damaged` for an empty one,
  ///   `io`.
  package init(_ argument: String) throws(StintError) {
    guard !argument.isEmpty else {
      throw StintError(.usage, "The path of the input is empty; name an image file.")
    }
    // Not to wait for the writer of a FIFO, which is refused below.
    let descriptor = open(argument, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unread(argument, errno) }
    do throws(StintError) {
      identity = try Self.identity(of: descriptor, argument)
    } catch {
      close(descriptor)
      throw error
    }
    path = FilePath(DescriptorPath.name(of: descriptor) ?? argument)
    file = OpenFile(descriptor: descriptor, path: path.text)
  }

  deinit {
    close(file.descriptor)
  }

  /// A path that opens this very file again, whatever its name means by now.
  package var descriptorPath: String { DescriptorPath.path(of: file.descriptor) }

  package var shownPath: String { path.text }
  package var sizeBytes: Int { identity.sizeBytes }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    let count: Int
    if let contents {
      count = min(buffer.count, sizeBytes - offset)
      guard count > 0 else { return 0 }
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: contents.buffer[offset..<offset + count]))
    } else {
      do throws(StintError) {
        count = try PosixFileSystem().readAll(file, into: buffer, at: offset)
      } catch {
        readError.withLock { $0 = $0 ?? error }
        return nil
      }
    }
    reached.withLock { $0 = offset..<offset + count }
    return count
  }

  /// Refuses a file whose contents are not what they were when it was opened; renaming or removing
  /// it does not matter.
  ///
  /// Refuses one, too, that a decoder could not read.
  ///
  /// - Throws: ``StintError`` with the code `mismatch`, or that of the read.
  package func checkUnchanged() throws(StintError) {
    if let error = readError.withLock({ $0 }) { throw error }
    let now = try Self.identity(of: file.descriptor, path.text)
    guard (now.sizeBytes, now.modified) == (identity.sizeBytes, identity.modified) else {
      throw StintError(
        .mismatch,
        "The input \(path) was changed while it was being read; run the same command again when it "
          + "is complete.")
    }
  }

  private static func identity(of descriptor: Int32, _ path: String) throws(StintError) -> Identity
  {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StintError(
        .io, "The size and the dates of the input \(path) cannot be read.", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StintError(
        .usage, "The input \(path) is not a regular file; copy its contents into one.")
    }
    guard status.st_size > 0 else {
      throw StintError(.damaged, "The input \(path) is empty; it is not an image.")
    }
    return Identity(status)
  }
}

extension SourceFile.Identity {
  /// Takes what the kernel says of a file.
  init(_ status: stat) {
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      sizeBytes: Int(status.st_size), modified: Self.nanoseconds(status.st_mtim),
      changed: Self.nanoseconds(status.st_ctim))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
#endif
