#if Images
import CVips
import Glibc

/// A file that is open for a stream of libvips.
package protocol StreamedFile: AnyObject, Sendable {
  /// What messages call it.
  var shownPath: String { get }
  /// A path that opens this very file again.
  var descriptorPath: String { get }
  /// Its length.
  var sizeBytes: Int { get }

  /// Reads as many bytes as there are, up to the buffer's count; nil if they cannot be read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int?
}

/// A file, or its bytes in memory, that a loader of libvips reads by calls, and never maps.
final class VipsStream: @unchecked Sendable {
  // Unchecked: libvips reads a source from one thread at a time.

  private let file: any StreamedFile
  private var position: Int64 = 0

  private init(_ file: any StreamedFile) { self.file = file }

  /// A source of libvips at the beginning of a file, which it keeps open.
  static func source(of file: any StreamedFile) -> UnsafeMutablePointer<VipsSourceCustom> {
    let source: UnsafeMutablePointer<VipsSourceCustom> = vips_source_custom_new()
    let context = Unmanaged.passRetained(VipsStream(file)).toOpaque()
    let read: Read = { _, buffer, count, context in
      guard let context else { return -1 }
      return Unmanaged<VipsStream>.fromOpaque(context).takeUnretainedValue().read(buffer, count)
    }
    let seek: Seek = { _, offset, whence, context in
      guard let context else { return -1 }
      return Unmanaged<VipsStream>.fromOpaque(context).takeUnretainedValue().seek(offset, whence)
    }
    g_signal_connect_data(
      source, "read", unsafeBitCast(read, to: GCallback.self), context,
      { context, _ in context.map { Unmanaged<VipsStream>.fromOpaque($0).release() } },
      GConnectFlags(rawValue: 0))
    g_signal_connect_data(
      source, "seek", unsafeBitCast(seek, to: GCallback.self), context, nil,
      GConnectFlags(rawValue: 0))
    return source
  }

  private typealias Read =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int64, UnsafeMutableRawPointer?
    ) -> Int64

  private typealias Seek =
    @convention(c) (
      UnsafeMutableRawPointer?, Int64, Int32, UnsafeMutableRawPointer?
    ) -> Int64

  /// So much before its end, a file is read in small pieces, so that it shows how far the decoder
  /// came.
  private static let (tailBytes, tailPieceBytes) = (8192, 64)

  /// Reads what comes next: as many bytes as there are, up to a count.
  private func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int64) -> Int64 {
    let start = Int(position)
    let isTail = start >= file.sizeBytes - Self.tailBytes
    let target = UnsafeMutableRawBufferPointer(
      start: buffer, count: isTail ? min(Int(count), Self.tailPieceBytes) : Int(count))
    guard let read = file.read(into: target, at: start) else {
      // The words by which an error of the device is known from damage.
      withVaList([]) { vips_verror("stint", String(cString: strerror(EIO)), $0) }
      return -1
    }
    position += Int64(read)
    return Int64(read)
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let place =
      switch whence {
      case SEEK_SET: offset
      case SEEK_CUR: position + offset
      case SEEK_END: Int64(file.sizeBytes) + offset
      case _: Int64(-1)
      }
    guard place >= 0 else { return -1 }
    position = place
    return place
  }
}
#endif
