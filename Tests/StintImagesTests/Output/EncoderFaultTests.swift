#if Images
import StintCore
import StintImages
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Encoders on a failing disk")
struct EncoderFaultTests {
  @Test(
    "R4 a disk that is full, broken or slow at any write leaves the progress before it true",
    arguments: EncoderCase.seeds.prefix(16))
  func faults(seed: UInt64) throws {
    var drawn = try EncoderCase(seed: seed)
    let whole = try drawn.whole()
    for fault in [FileFault.diskFull, .ioError, .short, .interrupted] {
      let disk = FaultyFileSystem()
      let file = try file(on: disk)
      var progress = try drawn.encoder.begin(into: file)
      var failures = 0
      while progress.rows < drawn.shape.height {
        let count = drawn.nextCount(after: progress)
        // Every other call, so that the file is finished some day.
        if Bool.random(using: &drawn.generator) {
          disk.faults.add(
            fault, at: .write, skipping: Int.random(in: 0...6, using: &drawn.generator))
        }
        do {
          progress = try drawn.append(count, after: progress, threads: 2, into: file)
        } catch let error as StintError {
          #expect(error.code == .io)
          failures += 1
          // What was saved is read again by the next process, on the file as it was left.
          let left = Array(disk.node("/jobs/out")?.data ?? [])
          #expect(left.count >= progress.sizeBytes)
          progress = try progress.encoded.withUnsafeBytes {
            try drawn.encoder.decode($0, in: file)
          }
        }
        disk.faults = FaultPlan()
      }
      try drawn.encoder.finish(progress, into: file)
      #expect(disk.node("/jobs/out")?.data == whole, "\(fault), \(failures) failures")
    }
  }

  @Test("R4 an encoder that writes all at once says what the disk said")
  func wholeFile() throws {
    let shape = PixelShape(width: 64, height: 48, color: .rgb)
    var generator = SeededGenerator(seed: 4)
    let image = try EncoderCase.image(EncoderCase.pixels(shape, &generator), shape)
    for format in [OutputFormat.jpeg, .webp, .gif] {
      let disk = FaultyFileSystem()
      let file = try file(on: disk)
      let encoder = try WholeFileEncoder(format: format, shape: shape)
      disk.faults.add(.diskFull, at: .write)
      let error = #expect(throws: StintError.self) { try encoder.encode(image, into: file) }
      #expect(error?.errno == 28, "ENOSPC")
      try encoder.encode(image, into: file)
      let bytes = try #require(disk.node("/jobs/out")?.data)
      #expect(try EncoderCase.read(bytes, ending: "x").image.width == 64)
    }
  }

  private func file(on disk: FaultyFileSystem) throws -> JobPartialFile {
    let folder = try JobsDirectory.openOrMake("/jobs", fileSystem: disk)
    defer { disk.close(folder) }
    return JobPartialFile(
      file: try disk.openFile("out", in: folder, .createOrUpdate), fileSystem: disk)
  }
}
#endif
