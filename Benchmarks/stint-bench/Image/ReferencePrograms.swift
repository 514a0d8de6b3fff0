import Foundation
import Glibc
import StintCore

/// The C programs of `Benchmarks/image-reference`, compiled when they are needed, so that this
/// program needs no libvips.
struct ReferencePrograms {
  private let directory: String

  /// Compiles all into a folder.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if the sources, a C compiler or libvips
  ///   are not there.
  init(buildingIn directory: String) throws {
    self.directory = directory
    let sources = try SourceFolder.find("Benchmarks/image-reference", holding: "pipeline.c")
    let flags = try Self.flags(in: directory)
    for name in ["pipeline", "compare", "set"] {
      let words = ["-O2", "-o", "\(directory)/\(name)", "\(sources)/\(name).c"] + flags
      try CommandRun(ProgramCommand(program: "cc", arguments: words), logs: directory)
        .expectSuccess()
    }
  }

  /// How the C program is told to run a pipeline; `copy` only changes the format, and `lay` also
  /// says that the picture must be turned by a quarter.
  func command(
    _ pipeline: String, from input: String, to output: String, threads: Int
  ) -> ProgramCommand {
    let suffix = output.split(separator: ".").last ?? ""
    let options =
      switch suffix {
      case "tif": "[compression=none,tile,tile-width=256,tile-height=256,bigtiff]"
      case "png": "[compression=6,filter=all]"
      default: ""
      }
    return ProgramCommand(
      program: directory + "/pipeline", arguments: [pipeline, input, output + options],
      variables: ["VIPS_CONCURRENCY": "\(threads)"])
  }

  /// How the C program is told to take images through a filter, so many at a time.
  func set(
    _ filter: String, _ images: [String], into folder: String, threads: Int
  ) -> ProgramCommand {
    ProgramCommand(
      program: directory + "/set", arguments: [filter, folder, "\(threads)"] + images)
  }

  /// Checks that two files have the same pixels.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` and the difference.
  func expectSamePixels(_ first: String, _ second: String, logs: String, of what: String) throws {
    let run = try CommandRun(
      ProgramCommand(program: directory + "/compare", arguments: [first, second]), logs: logs)
    guard run.end != .exited(1) else {
      throw StintError(
        .checkFailed,
        "The pixels of \(what) are not those of the C program: \(run.output) Nothing is measured.")
    }
    try run.expectSuccess()
  }

  private static func flags(in directory: String) throws -> [String] {
    let run = try CommandRun(
      ProgramCommand(program: "pkg-config", arguments: ["--cflags", "--libs", "vips"]),
      logs: directory)
    guard run.end == .exited(0) else {
      throw StintError(
        .unavailable,
        "pkg-config does not find libvips, which the C program needs; install libvips-dev.")
    }
    return run.output.split(whereSeparator: \.isWhitespace).map(String.init) + ["-lm"]
  }
}
