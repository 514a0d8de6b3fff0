#if Images
import CVips
import Glibc
import StintCore
import StintRuntime

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

/// Reads or writes bytes for libvips.
private typealias Transfer =
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int64, UnsafeMutableRawPointer?
  ) -> Int64

/// Goes to another place of a file for libvips.
private typealias Seek =
  @convention(c) (UnsafeMutableRawPointer?, Int64, Int32, UnsafeMutableRawPointer?) -> Int64

/// Has libvips call a function with a context, which is let go of by another.
private func connect(
  _ object: UnsafeMutableRawPointer, _ signal: String, _ callback: @escaping GCallback,
  _ context: UnsafeMutableRawPointer, release: GClosureNotify? = nil
) {
  g_signal_connect_data(object, signal, callback, context, release, GConnectFlags(rawValue: 0))
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
    let read: Transfer = { _, buffer, count, context in
      guard let context else { return -1 }
      return Unmanaged<VipsStream>.fromOpaque(context).takeUnretainedValue().read(buffer, count)
    }
    let seek: Seek = { _, offset, whence, context in
      guard let context else { return -1 }
      return Unmanaged<VipsStream>.fromOpaque(context).takeUnretainedValue().seek(offset, whence)
    }
    connect(source, "read", unsafeBitCast(read, to: GCallback.self), context) { context, _ in
      context.map { Unmanaged<VipsStream>.fromOpaque($0).release() }
    }
    connect(source, "seek", unsafeBitCast(seek, to: GCallback.self), context)
    return source
  }

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

/// Where a saver of libvips writes a file: a partial file.
package final class VipsTarget: @unchecked Sendable {
  // Unchecked: the saver calls from one thread at a time, and whoever made it reads the failure
  // after the saver has returned.

  /// Owned: one reference.
  let pointer: UnsafeMutablePointer<VipsTargetCustom>
  private let file: any PartialFile
  private let stopFlag: StopFlag?
  /// Where the next byte goes.
  private var position = 0
  /// Why a write was refused.
  private(set) var failure: (any Error)?

  /// - Parameters:
  ///   - file: Gets the bytes from offset 0 on.
  ///   - stopFlag: When it is raised, the next write fails, and so the saver.
  init(file: any PartialFile, stopFlag: StopFlag?) {
    self.file = file
    self.stopFlag = stopFlag
    pointer = vips_target_custom_new()
    let write: Transfer = { _, bytes, count, context in
      guard let context else { return -1 }
      let target = Unmanaged<VipsTarget>.fromOpaque(context).takeUnretainedValue()
      return target.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    connect(pointer, "write", unsafeBitCast(write, to: GCallback.self), context)
    // That of JPEG 2000 goes back for lengths that it knows in the end.
    let seek: Seek = { _, offset, whence, context in
      guard let context else { return -1 }
      return Unmanaged<VipsTarget>.fromOpaque(context).takeUnretainedValue().seek(offset, whence)
    }
    connect(pointer, "seek", unsafeBitCast(seek, to: GCallback.self), context)
  }

  deinit {
    g_object_unref(pointer)
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let place =
      switch whence {
      case SEEK_SET: Int(offset)
      case SEEK_CUR: position + Int(offset)
      case _: -1
      }
    guard place >= 0 else { return -1 }
    position = place
    return Int64(place)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    guard failure == nil, stopFlag?.isRaised != true else { return -1 }
    do {
      try file.write(bytes, at: position)
      position += bytes.count
      return Int64(bytes.count)
    } catch {
      failure = error
      return -1
    }
  }
}

extension VipsImage {
  /// Writes the image with a saver, such as `jpegsave_target`.
  func save(_ saver: String, to target: VipsTarget, _ options: [String: VipsArgument])
    throws(StintError)
  {
    let (image, watch) = try watched()
    var arguments = options
    arguments["in"] = .image(image)
    arguments["target"] = .target(target)
    let action = "encode the image"
    try watch.watching(action) { () throws(StintError) in
      try VipsOperation.run(saver, arguments, action)
    }
  }
}
#endif
