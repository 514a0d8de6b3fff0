import Foundation
import Glibc
import StintCore

/// The C programs of `Benchmarks/image-reference`, compiled when they are needed, so that this
/// program needs no libvips.
struct ReferencePrograms {
  private static let folder = "Benchmarks/image-reference"

  private let pipelinePath: String
  private let comparePath: String
  private let setPath: String

  /// Compiles all into a folder.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if the sources, a C compiler or libvips
  ///   are not there.
  init(buildingIn directory: String) throws {
    let sources = try SourceFolder.find(Self.folder, holding: "pipeline.c")
    let flags = try Self.flags(in: directory)
    func build(_ name: String) throws -> String {
      let program = "\(directory)/\(name)"
      try CommandRun(
        ProgramCommand(
          program: "cc", arguments: ["-O2", "-o", program, "\(sources)/\(name).c"] + flags),
        logs: directory
      ).expectSuccess()
      return program
    }
    pipelinePath = try build("pipeline")
    comparePath = try build("compare")
    setPath = try build("set")
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
      program: pipelinePath, arguments: [pipeline, input, output + options],
      variables: ["VIPS_CONCURRENCY": "\(threads)"])
  }

  /// How the C program is told to take images through a filter, so many at a time.
  func set(
    _ filter: String, _ images: [String], into folder: String, threads: Int
  ) -> ProgramCommand {
    ProgramCommand(program: setPath, arguments: [filter, folder, "\(threads)"] + images)
  }

  /// Checks that two files have the same pixels.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` and the difference.
  func expectSamePixels(_ first: String, _ second: String, logs: String, of what: String) throws {
    let run = try CommandRun(
      ProgramCommand(program: comparePath, arguments: [first, second]), logs: logs)
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
