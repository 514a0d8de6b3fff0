import Foundation
import StintCore

/// The images that pipelines are run on.
struct TestImages {
  let directory: String
  let reference: ReferencePrograms
  let megapixels: Int

  /// Writes the image in the formats that are needed.
  ///
  /// - Returns: The path for each format.
  func make(_ formats: Set<ImageFormat>) throws -> [ImageFormat: String] {
    func path(_ format: ImageFormat) -> String { "\(directory)/in.\(format.suffix)" }
    try TestImageWriter(image: ImageGeneration(megapixels: megapixels, path: path(.tiff))).write()
    for format in formats.subtracting([.tiff]) {
      let command = reference.command("copy", from: path(.tiff), to: path(format), threads: 2)
      try CommandRun(command, logs: directory).expectSuccess()
    }
    return Dictionary(uniqueKeysWithValues: formats.map { ($0, path($0)) })
  }

  /// `stint-bench image --generate`: a tiled TIFF is written directly, other formats from it by the
  /// C program.
  static func generate(_ image: ImageGeneration) throws {
    let name = image.path.lowercased()
    if name.hasSuffix(".tif") || name.hasSuffix(".tiff") {
      return try TestImageWriter(image: image).write()
    }
    let folder = URL(filePath: image.path).deletingLastPathComponent().path()
    let scratch = try ScratchDirectory(below: folder)
    let reference = try ReferencePrograms(buildingIn: scratch.path)
    var tiff = image
    tiff.path = scratch.path + "/image.tif"
    try TestImageWriter(image: tiff).write()
    let command = reference.command("copy", from: tiff.path, to: image.path, threads: 2)
    try CommandRun(command, logs: scratch.path).expectSuccess()
  }
}
