import Foundation
import Glibc
import StintCore
import Testing

/// A picture with slopes, edges and noise, as an uncompressed TIFF in one strip, written without
/// any library (TIFF 6.0, section 2).
enum Picture {
  static func write(
    to name: String, in scratch: Scratch, width: Int, height: Int, seed: UInt64 = 7,
    alpha: UInt8? = nil
  ) throws {
    try tiff(width: width, height: height, seed: seed, alpha: alpha)
      .write(to: URL(fileURLWithPath: scratch(name)))
  }

  private static func tiff(width: Int, height: Int, seed: UInt64, alpha: UInt8?) -> Data {
    var file = Data("II".utf8)
    func append(_ value: Int, _ count: Int) {
      for shift in 0..<count { file.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    append(42, 2)
    append(8, 4)
    // Tag, type (3 is a short, 4 a long), count, value.
    let bands = alpha == nil ? 3 : 4
    let bitsAt = 8 + 2 + (alpha == nil ? 10 : 11) * 12 + 4
    var fields = [
      (256, 4, 1, width), (257, 4, 1, height), (258, 3, bands, bitsAt), (259, 3, 1, 1),
      (262, 3, 1, 2),
      (273, 4, 1, bitsAt + 2 * bands), (277, 3, 1, bands), (278, 4, 1, height),
      (279, 4, 1, width * height * bands), (284, 3, 1, 1),
    ]
    // ExtraSamples: an alpha that is not multiplied in.
    if alpha != nil { fields.append((338, 3, 1, 2)) }
    append(fields.count, 2)
    for (tag, type, count, value) in fields {
      append(tag, 2)
      append(type, 2)
      append(count, 4)
      append(value, 4)
    }
    append(0, 4)
    for _ in 0..<bands { append(8, 2) }
    file.append(contentsOf: pixels(width: width, height: height, seed: seed, alpha: alpha))
    return file
  }

  private static func pixels(width: Int, height: Int, seed: UInt64, alpha: UInt8?) -> [UInt8] {
    var numbers = SplitMix64(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height * 3)
    for y in 0..<height {
      let isNoisy = (y / 100) % 2 == 0
      for x in 0..<width {
        bytes.append(UInt8(truncatingIfNeeded: x / 3))
        bytes.append((x / 40 + y / 40) % 2 == 0 ? 230 : 20)
        bytes.append(
          UInt8(truncatingIfNeeded: isNoisy ? Int(truncatingIfNeeded: numbers.next()) : y))
        if let alpha { bytes.append(alpha) }
      }
    }
    return bytes
  }
}

extension Scratch {
  /// Runs `stint run image` to its end.
  func image(_ arguments: [String], atMost limit: Duration = .seconds(120)) async throws
    -> FinishedProcess
  {
    try await start(["run", "image"] + arguments).wait(atMost: limit)
  }

  /// Begins a job of `run image`, the only one here, and stops it once some of it is saved.
  func interruptedImage(_ arguments: [String]) async throws -> FinishedProcess {
    let process = try start(["run", "image", "--checkpoint-every", "50ms"] + arguments)
    try await process.wait(until: "a checkpoint of the image") { journal.newestCheckpoint > 0 }
    process.send(SIGTERM)
    return try await process.wait()
  }
}

extension Picture {
  /// A gray picture of any size whose pixels are a hole in its file, in tiles of 512 pixels (TIFF
  /// 6.0, section 15).
  static func writeHole(to name: String, in scratch: Scratch, across: Int, down: Int) throws {
    var file = Data("II".utf8)
    func append(_ value: Int, _ count: Int) {
      for shift in 0..<count { file.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    let side = 512
    let tiles = across * down
    let listsAt = 8 + 2 + 10 * 12 + 4
    let pixelsAt = (listsAt + 8 * tiles + 4095) / 4096 * 4096
    append(42, 2)
    append(8, 4)
    append(10, 2)
    // Tag, type (3 is a short, 4 a long), count, value.
    for (tag, type, count, value) in [
      (256, 4, 1, across * side), (257, 4, 1, down * side), (258, 3, 1, 8), (259, 3, 1, 1),
      (262, 3, 1, 1), (277, 3, 1, 1), (322, 4, 1, side), (323, 4, 1, side),
      (324, 4, tiles, listsAt), (325, 4, tiles, listsAt + 4 * tiles),
    ] {
      append(tag, 2)
      append(type, 2)
      append(count, 4)
      append(value, 4)
    }
    append(0, 4)
    for tile in 0..<tiles { append(pixelsAt + tile * side * side, 4) }
    for _ in 0..<tiles { append(side * side, 4) }
    try file.write(to: URL(fileURLWithPath: scratch(name)))
    try #require(truncate(scratch(name), pixelsAt + tiles * side * side) == 0)
  }
}
