import Foundation
import StintCore
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  /// The image benchmark with small images: what it measures is not looked at, only that it
  /// measures everything, and that it can fail.
  @Suite("stint-bench image")
  struct ImageBenchTests {
    @Test("every pipeline is run by Stint and by the C program, with equal pixels")
    func quick() throws {
      let run = try BenchTests.run(["image", "--quick", "--json"])
      let report = try BenchTests.expectWellFormed(run, verb: "image")
      for item in ImageCase.all {
        let gates = [
          "TimeRatio": 1.1, "DurableTimeRatio": 1.25, "MemoryRatio": 1.5, "DurableMemoryRatio": 1.5,
        ]
        for (suffix, gate) in gates {
          let figure = try #require(report[item.name + suffix], "\(item.name + suffix)")
          #expect(figure.gate == gate)
          #expect(figure.measured > 0)
        }
      }
    }

    @Test("every set is made by Stint and by the C program, with equal pixels, and is drawn")
    func sets() throws {
      let scratch = try Scratch()
      let run = try BenchTests.run([
        "images", "--quick", "--full", "--json", "--plots", scratch("plots"),
      ])
      let report = try BenchTests.expectWellFormed(run)
      for filter in ImageSetFilter.allCases {
        for isTurned in [false, true] {
          let cell = ImageSetCell(filter: filter, megapixels: 1, count: 2, isTurned: isTurned)
          let figure = try #require(report[cell.name + "TimeRatio"], "\(cell.name)")
          #expect(figure.gate == 1.1)
          #expect(figure.measured > 0)
          #expect(report[cell.name + "PeakMebibytes"] != nil)
          #expect(report[cell.name + "TimeGrowthRatio"] != nil)
          let plot = filter.rawValue + (isTurned ? "-turned" : "") + "-memory.svg"
          #expect(FileManager.default.fileExists(atPath: scratch("plots/" + plot)))
        }
      }
    }

    @Test("pixels that differ in one place are seen")
    func pixelsThatDiffer() throws {
      let scratch = try Scratch()
      let programs = try ReferencePrograms(buildingIn: scratch(""))
      let (one, same, other) = (scratch("one.tif"), scratch("same.tif"), scratch("other.tif"))
      let image = ImageGeneration(width: 300, height: 270, path: one)
      try TestImageWriter(image: image).write()
      var bytes = try Data(contentsOf: URL(filePath: one))
      try bytes.write(to: URL(filePath: same))
      try programs.expectSamePixels(one, same, logs: scratch(""), of: "a copy")
      // The first sample of the second tile.
      bytes[TiledTIFF(image).offset(ofTile: 1)] ^= 1
      try bytes.write(to: URL(filePath: other))
      #expect {
        try programs.expectSamePixels(one, other, logs: scratch(""), of: "a changed copy")
      } throws: { error in
        (error as? StintError)?.code == .checkFailed && "\(error)".contains("differ by up to 1")
      }
    }

    @Test("a program that fails is told with what it said")
    func failingProgram() throws {
      let scratch = try Scratch()
      let command = ProgramCommand(
        program: "sh", arguments: ["-c", "echo no such thing >&2; exit 3"])
      let run = try CommandRun(command, logs: scratch(""))
      #expect(run.end == .exited(3))
      #expect {
        try run.expectSuccess()
      } throws: { "\($0)".contains("ended with 3") && "\($0)".contains("no such thing") }
    }

    @Test(
      "peak memory is that of the process, and one that may be its parent's is not taken for it")
    func peakMemory() throws {
      let scratch = try Scratch()
      let small = try CommandRun(
        ProgramCommand(program: "true", arguments: []), logs: scratch(""))
      #expect(!small.isPeakKnown)
      // A third more than this process ever had.
      let bytes = (Int(small.peakMebibytes * 4 / 3) + 64) << 20
      let large = try CommandRun(
        ProgramCommand(program: "python3", arguments: ["-c", "b = b'x' * \(bytes)"]),
        logs: scratch(""))
      #expect(large.isPeakKnown)
      #expect(large.peakMebibytes > Double(bytes) / 1_048_576)
    }

    @Test(
      "what cannot be is said and ends with 64",
      arguments: [
        ["--generate", "20"], ["--generate", "20x0", "a.tif"], ["--generate", "20xx20", "a.tif"],
        ["--generate", "20x20"], ["--generate", "20x20", "a.tif", "b.tif"], ["a.tif"],
        ["--generate", "20x20", "a.tif", "--depth", "12"], ["--megapixels", "0"],
        ["--only", "nothing", "--quick"],
      ])
    func usage(words: [String]) throws {
      let run = try BenchTests.run(["image"] + words)
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains("stint-bench: "))
    }

    @Test("a set that is none is said and ends with 64")
    func noSet() throws {
      let run = try BenchTests.run(["images", "--only", "nothing", "--quick"])
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains("thumbnail2Megapixels200"))
    }
  }
}

@Suite("Test images")
struct TestImageTests {
  private static func bytes(_ image: ImageGeneration) throws -> Data {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "stint-test-image-\(UUID().uuidString).tif")
    defer { try? FileManager.default.removeItem(at: path) }
    var image = image
    image.path = path.path()
    try TestImageWriter(image: image).write()
    return try Data(contentsOf: path)
  }

  private static func image(
    _ width: Int, _ height: Int, depth: Int = 8, alpha: Bool = false, seed: UInt64 = 1
  ) -> ImageGeneration {
    var image = ImageGeneration(width: width, height: height, path: "")
    (image.depth, image.hasAlpha, image.seed) = (depth, alpha, seed)
    return image
  }

  @Test("the same seed makes the same picture, whatever its size and whoever computes which tile")
  func deterministic() throws {
    let (small, large) = (Self.image(200, 100), Self.image(900, 520))
    let (first, second) = (try Self.bytes(large), try Self.bytes(large))
    #expect(first == second)
    let (smallLayout, largeLayout) = (TiledTIFF(small), TiledTIFF(large))
    #expect(first.count == largeLayout.sizeBytes)
    let tile = try Self.bytes(small).dropFirst(smallLayout.offset(ofTile: 0))
    #expect(tile.elementsEqual(first[largeLayout.offset(ofTile: 0)...].prefix(tile.count)))
    let other = try Self.bytes(Self.image(200, 100, seed: 2))
    #expect(other.dropFirst(smallLayout.front.count) != tile)
  }

  @Test("8 bits are the upper ones of 16, and alpha stands beside the same colours")
  func depths() throws {
    let (eight, sixteen) = (Self.image(40, 30), Self.image(40, 30, depth: 16, alpha: true))
    let narrow = try Self.bytes(eight).dropFirst(TiledTIFF(eight).front.count)
    let wide = try Self.bytes(sixteen).dropFirst(TiledTIFF(sixteen).front.count)
    let (narrowBytes, wideBytes) = ([UInt8](narrow), [UInt8](wide))
    for pixel in stride(from: 0, to: TiledTIFF.tileSide * 30, by: 7) {
      for channel in 0..<3 {
        #expect(narrowBytes[pixel * 3 + channel] == wideBytes[(pixel * 4 + channel) * 2 + 1])
      }
    }
  }

  @Test("a picture has structure: dark and light, flat and steep, and some of it is transparent")
  func structure() throws {
    let image = Self.image(2048, 1024, alpha: true)
    let pixels = [UInt8](try Self.bytes(image).dropFirst(TiledTIFF(image).front.count))
    let reds = stride(from: 0, to: pixels.count, by: 4).map { Int(pixels[$0]) }
    let steps = zip(reds, reds.dropFirst()).map { abs($0 - $1) }
    #expect(reds.count { $0 < 64 } > reds.count / 50)
    #expect(reds.count { $0 > 192 } > reds.count / 50)
    // Most neighbours are alike but for the noise, and some are edges.
    #expect(steps.count { $0 < 12 } > steps.count * 3 / 4)
    #expect(steps.count { $0 > 80 } > steps.count / 500)
    let alphas = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
    #expect(alphas.contains(0) && alphas.contains { $0 > 200 })
  }

  @Test("a file that 32-bit offsets reach is a TIFF, a larger one a BigTIFF")
  func bigTIFF() {
    let classic = TiledTIFF(Self.image(20_000, 20_000))
    #expect(Array(classic.front.prefix(4)) == [0x49, 0x49, 42, 0])
    let big = TiledTIFF(Self.image(40_000, 40_000))
    #expect(Array(big.front.prefix(8)) == [0x49, 0x49, 43, 0, 8, 0, 0, 0])
    #expect(big.sizeBytes > 4_800_000_000)
    #expect(big.tileCount == 157 * 157)
    #expect(big.offset(ofTile: big.tileCount) == big.sizeBytes)
  }
}
