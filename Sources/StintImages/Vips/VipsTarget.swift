#if Images
import CVips
import Glibc
import StintRuntime
import StintCore

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
    let write: Write = { _, bytes, count, context in
      guard let context else { return -1 }
      let target = Unmanaged<VipsTarget>.fromOpaque(context).takeUnretainedValue()
      return target.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    g_signal_connect_data(
      pointer, "write", unsafeBitCast(write, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    // That of JPEG 2000 goes back for lengths that it knows in the end.
    let seek: Seek = { _, offset, whence, context in
      guard let context else { return -1 }
      return Unmanaged<VipsTarget>.fromOpaque(context).takeUnretainedValue().seek(offset, whence)
    }
    g_signal_connect_data(
      pointer, "seek", unsafeBitCast(seek, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
  }

  deinit {
    g_object_unref(pointer)
  }

  private typealias Write =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeRawPointer?, Int64, UnsafeMutableRawPointer?
    ) -> Int64

  private typealias Seek =
    @convention(c) (
      UnsafeMutableRawPointer?, Int64, Int32, UnsafeMutableRawPointer?
    ) -> Int64

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
