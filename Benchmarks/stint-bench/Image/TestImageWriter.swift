import Dispatch
import Glibc
import Stint
import StintCore

/// Writes a test image as an uncompressed tiled TIFF; the memory that it takes does not depend on
/// the image's size.
struct TestImageWriter {
  let image: ImageGeneration

  /// Writes the file, on all processors.
  ///
  /// - Throws: ``StintError`` with the code `cannotCreate` or `io`.
  func write() throws {
    let layout = TiledTIFF(image)
    let file = open(image.path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw StintError(.cannotCreate, "\(image.path) cannot be made.", errno: errno)
    }
    try layout.front.withUnsafeBytes { try put($0, into: file, at: 0) }
    let failure = Protected<(any Error)?>(nil)
    // Rows of tiles, so that a thread keeps its memory for many tiles.
    DispatchQueue.concurrentPerform(iterations: layout.tileCount / layout.across) { line in
      do {
        if failure.withLock({ $0 != nil }) { return }
        try writeTiles(line * layout.across..<(line + 1) * layout.across, layout, into: file)
      } catch {
        failure.withLock { $0 = error }
      }
    }
    guard close(file) == 0 else {
      throw StintError(.io, "\(image.path) cannot be written.", errno: errno)
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func writeTiles(_ tiles: Range<Int>, _ layout: TiledTIFF, into file: Int32) throws {
    let side = TiledTIFF.tileSide
    let scene = ImageScene(seed: image.seed)
    let run = ImageScene.Run(columns: side)
    let pixels = UnsafeMutableRawBufferPointer.allocate(
      byteCount: layout.tileBytes, alignment: 16)
    defer { pixels.deallocate() }
    let rowBytes = layout.tileBytes / side
    for tile in tiles {
      for row in 0..<side {
        scene.compute(
          row: tile / layout.across * side + row, from: tile % layout.across * side, into: run)
        pack(run, into: UnsafeMutableRawBufferPointer(rebasing: pixels[(row * rowBytes)...]))
      }
      try put(UnsafeRawBufferPointer(pixels), into: file, at: layout.offset(ofTile: tile))
    }
  }

  /// The samples of a pixel side by side, in as many bits as the file has.
  private func pack(_ run: ImageScene.Run, into row: UnsafeMutableRawBufferPointer) {
    let channels = image.channels
    for channel in 0..<channels {
      if image.depth == 8 {
        for column in 0..<TiledTIFF.tileSide {
          row[column * channels + channel] = UInt8(run.sample(channel, column) >> 8)
        }
      } else {
        for column in 0..<TiledTIFF.tileSide {
          row.storeBytes(
            of: run.sample(channel, column).littleEndian,
            toByteOffset: 2 * (column * channels + channel), as: UInt16.self)
        }
      }
    }
  }

  private func put(_ bytes: UnsafeRawBufferPointer, into file: Int32, at offset: Int) throws {
    var done = 0
    while done < bytes.count {
      let count = pwrite(
        file, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw StintError(.io, "\(image.path) cannot be written.", errno: errno)
      }
      done += count
    }
  }
}
