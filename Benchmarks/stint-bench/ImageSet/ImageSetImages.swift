import Foundation
import Glibc
import StintCore

/// The JPEGs that sets are made of.
struct ImageSetImages {
  /// So many different pictures; a larger set has copies of them.
  private static let pictures = 8

  let directory: String
  let reference: ReferencePrograms

  /// Writes the images of a cell.
  ///
  /// - Returns: Their paths.
  func make(_ cell: ImageSetCell) throws -> [String] {
    let folder = directory + "/in"
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let paths = (0..<cell.count).map { folder + String(format: "/%04d.jpg", $0) }
    for (number, path) in paths.enumerated() {
      if number < Self.pictures {
        try picture(number, cell, to: path)
      } else {
        try FileManager.default.copyItem(atPath: paths[number % Self.pictures], toPath: path)
      }
    }
    // What waits to be written would be written while others are measured.
    sync()
    return paths
  }

  private func picture(_ number: Int, _ cell: ImageSetCell, to path: String) throws {
    var image = ImageGeneration(megapixels: cell.megapixels, path: directory + "/picture.tif")
    image.seed = UInt64(number + 1)
    try TestImageWriter(image: image).write()
    let command = reference.command(
      cell.isTurned ? "lay" : "copy", from: image.path, to: path, threads: 2)
    try CommandRun(command, logs: directory).expectSuccess()
    try FileManager.default.removeItem(atPath: image.path)
  }
}
