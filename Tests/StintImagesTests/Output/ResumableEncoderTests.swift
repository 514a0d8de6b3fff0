#if Images
import StintRuntime
import StintCore
import StintImages
import StintTesting
import Testing

@Suite("Encoders that go on")
struct ResumableEncoderTests {
  @Test("libvips reads back the pixels of every shape and option", arguments: EncoderCase.seeds)
  func pixels(seed: UInt64) throws {
    let drawn = try EncoderCase(seed: seed)
    let (image, pixels) = try EncoderCase.read(drawn.whole(), ending: "image")
    #expect(image.shape.width == drawn.shape.width && image.shape.height == drawn.shape.height)
    #expect(try PixelShape(image.shape) == drawn.shape)
    #expect(pixels == drawn.pixels)
  }

  @Test(
    "W8 every way to cut and every number of threads gives the same bytes",
    arguments: EncoderCase.seeds)
  func cuts(seed: UInt64) throws {
    var drawn = try EncoderCase(seed: seed)
    let whole = try drawn.whole()
    #expect(whole.count <= drawn.encoder.largestFileBytes)
    for threads in 1...3 {
      let file = MemoryFile([1, 2, 3])
      var progress = try drawn.encoder.begin(into: file)
      while progress.rows < drawn.shape.height {
        let count = drawn.nextCount(after: progress)
        progress = try drawn.append(count, after: progress, threads: threads, into: file)
      }
      try drawn.encoder.finish(progress, into: file)
      #expect(file.bytes == whole, "\(threads) threads")
    }
  }

  @Test(
    "W14 from every progress the file is the same, whatever lies where the progress does not count",
    arguments: EncoderCase.seeds)
  func resume(seed: UInt64) throws {
    var drawn = try EncoderCase(seed: seed)
    let whole = try drawn.whole()
    let file = MemoryFile()
    var progress = try drawn.encoder.begin(into: file)
    while progress.rows < drawn.shape.height {
      let next = try drawn.append(drawn.nextCount(after: progress), after: progress, into: file)
      // Cut right there, after the pieces behind it were written: what counts is found, the rest is
      // garbage.
      let stored = next.encoded
      for before in [file.bytes, Array(file.bytes.prefix(next.sizeBytes)) + [9, 9, 9, 9, 9]] {
        let other = MemoryFile(before + Array(repeating: 0xAA, count: whole.count))
        var resumed = try stored.withUnsafeBytes { try drawn.encoder.decode($0, in: other) }
        #expect(resumed == next)
        resumed = try finished(drawn, from: resumed, in: other)
        #expect(other.bytes == whole, "from row \(next.rows)")
      }
      // The same call again writes the same.
      let bytes = file.bytes
      #expect(try drawn.append(next.rows - progress.rows, after: progress, into: file) == next)
      #expect(file.bytes == bytes)
      progress = next
    }
  }

  @Test(
    "C9 what a progress counts keeps its bytes, begins where it began, and is all that is written in the end",
    arguments: EncoderCase.seeds)
  func counted(seed: UInt64) throws {
    var drawn = try EncoderCase(seed: seed)
    let whole = try drawn.whole()
    let file = MemoryFile()
    var progress = try drawn.encoder.begin(into: file)
    let starts = drawn.encoder.counted(progress).map(\.lowerBound)
    while true {
      let parts = drawn.encoder.counted(progress)
      #expect(parts.map(\.lowerBound) == starts)
      for part in parts {
        #expect(file.bytes[part] == whole[part], "\(part) after \(progress.rows) rows")
      }
      guard progress.rows < drawn.shape.height else { break }
      progress = try drawn.append(drawn.nextCount(after: progress), after: progress, into: file)
    }
    try drawn.encoder.finish(progress, into: file)
    var place = 0
    for part in drawn.encoder.counted(progress).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      #expect(part.lowerBound == place, "no byte is left out, and none is in two parts")
      place = part.upperBound
    }
    #expect(place == progress.sizeBytes)
  }

  /// Encodes the rest in one call and finishes, twice.
  private func finished(
    _ drawn: EncoderCase, from progress: EncodingProgress, in file: MemoryFile
  ) throws -> EncodingProgress {
    let left = drawn.shape.height - progress.rows
    let end = left == 0 ? progress : try drawn.append(left, after: progress, into: file)
    for _ in 1...2 { try drawn.encoder.finish(end, into: file) }
    return end
  }

  @Test("a raised flag leaves whole units, from which it goes on", arguments: EncoderCase.seeds)
  func stop(seed: UInt64) throws {
    let drawn = try EncoderCase(seed: seed)
    let flag = StopFlag()
    let writes = Protected(0)
    let file = MemoryFile(afterWrite: {
      if writes.withLock({ count in
        count += 1
        return count
      }) == 3 {
        flag.raise()
      }
    })
    var progress = try drawn.encoder.begin(into: file)
    var calls = 0
    while progress.rows < drawn.shape.height, calls < 20 {
      let left = drawn.shape.height - progress.rows
      progress = try drawn.append(left, after: progress, stopFlag: flag, into: file)
      #expect(progress.rows == drawn.shape.height || progress.rows % drawn.encoder.rowsPerUnit == 0)
      if flag.isRaised {
        // A flag that is up from the start leaves everything as it is.
        if progress.rows < drawn.shape.height {
          let again = drawn.shape.height - progress.rows
          #expect(try drawn.append(again, after: progress, stopFlag: flag, into: file) == progress)
        }
        flag.lower()
      }
      calls += 1
    }
    try drawn.encoder.finish(progress, into: file)
    #expect(try file.bytes == drawn.whole())
  }

  @Test("a progress that is none of this image is refused, never believed", arguments: 1...6)
  func hostile(seed: UInt64) throws {
    var drawn = try EncoderCase(seed: seed)
    let file = MemoryFile(try drawn.whole())
    let progress = try drawn.append(
      drawn.nextCount(after: drawn.encoder.begin(into: MemoryFile())),
      after: drawn.encoder.begin(into: MemoryFile()), into: MemoryFile())
    for size in 0..<60 where size != EncodingProgress.encodedBytes {
      expectDamaged(Array(repeating: 0, count: size), drawn, in: file)
    }
    for _ in 0..<500 {
      var bytes = progress.encoded
      for _ in 0...Int.random(in: 0...3, using: &drawn.generator) {
        let place = Int.random(in: 0..<bytes.count, using: &drawn.generator)
        bytes[place] = UInt8.random(in: 0...255, using: &drawn.generator)
      }
      guard let read = try? bytes.withUnsafeBytes({ try drawn.encoder.decode($0, in: file) }) else {
        expectDamaged(bytes, drawn, in: file)
        continue
      }
      #expect(read.rows == drawn.shape.height || read.rows % drawn.encoder.rowsPerUnit == 0)
      #expect((0...drawn.shape.height).contains(read.rows))
      #expect((1...file.sizeBytes).contains(read.sizeBytes))
    }
    let short = MemoryFile(Array(file.bytes.prefix(progress.sizeBytes - 1)))
    expectDamaged(progress.encoded, drawn, in: short)
  }

  private func expectDamaged(_ bytes: [UInt8], _ drawn: EncoderCase, in file: MemoryFile) {
    let error = #expect(throws: StintError.self) {
      try bytes.withUnsafeBytes { try drawn.encoder.decode($0, in: file) }
    }
    #expect(error?.code == .damaged)
  }
}
#endif
