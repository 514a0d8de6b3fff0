#if Images
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("The ledger of many images")
struct ImageSetLineTests {
  private func lines() throws -> [ImageSetLine] {
    let item = ImageSetPlan.Item(
      path: "/a\tb\nc\r\n\\t/x y.png", stem: "x y", ending: "png",
      request: try OutputRequest(format: "png", path: nil))
    let identity = SourceFile.Identity(
      device: 1, inode: 2, sizeBytes: 3, modified: -4, changed: 5)
    let result = ImageSetResult(
      frames: 3, sizeBytes: 77, checksum: Checksum128(high: 1, low: 2), inode: 9, modified: 10,
      source: Checksum128(high: 3, low: 4))
    return [
      .head(work: "abc"), .input(0, item, identity), .input(0, item, nil),
      .list(ImageSetPlaces([0, 1, 2, 7, 5, 6], of: nil)),
      .list(ImageSetPlaces([], of: nil, trusted: [.jxl, .ppm])),
      .list(
        ImageSetPlaces(
          [1], of: nil,
          refused: [
            .init(name: "x\\xff", path: nil, error: StintError(.usage, "no")),
            .init(name: "y", path: "/y", error: StintError(.io, "no", remedies: ["a"], errno: 13)),
          ])),
      .list(
        ImageSetPlaces(
          [3, 4],
          of: .init(
            shard: try #require(Shard(1, of: 2)), whole: "x", count: 5, numbers: [1, 4]))),
      .same(0, identity),
      .done(.init(item: 0, frame: 2), result),
      .failed(0, StintError(.damaged, "It is\nbroken.", errno: 5)),
      .dropped(.init(item: 1, frame: 4)),
      .failed(1, StintError(.usage, "It has alpha.", remedies: [.background, "write\tTIFF"])),
    ]
  }

  @Test("every line is read as it was written")
  func roundTrip() throws {
    for line in try lines() {
      let bytes = line.encoded
      #expect(bytes.filter { $0 == UInt8(ascii: "\n") }.count == 1)
      #expect(ImageSetLine(bytes.dropLast()) == line)
    }
  }

  @Test("C2 a line that was cut, or of which a bit is another one, is none")
  func damage() throws {
    for line in try lines() {
      let bytes = Array(line.encoded.dropLast())
      for count in 0..<bytes.count { #expect(ImageSetLine(bytes[..<count]) == nil) }
      for index in bytes.indices {
        var wrong = bytes
        wrong[index] ^= 1 << UInt8(index % 8)
        #expect(ImageSetLine(wrong[...]) == nil)
      }
    }
  }

  @Test("C2 half a line at the end is cut off")
  func tornFile() throws {
    let fixture = try ImageSetFixture(count: 1)
    let workspace = MemoryWorkspace()
    let first = try fixture.computation()
    let state = try first.start(in: workspace)
    let checkpoint = try first.encoded(state)
    let file = workspace.file(ImageSetLedger.fileName)
    let bytes = file.bytes
    try [UInt8](repeating: 65, count: 7).withUnsafeBytes { try file.write($0, at: bytes.count) }
    _ = try fixture.computation().decoded(checkpoint, in: workspace)
    #expect(file.bytes == bytes)
  }

  @Test("C5 the ledger of other work is refused")
  func foreign() throws {
    let mine = try ImageSetFixture(count: 1)
    let other = try ImageSetFixture(count: 1, filters: ["invert"])
    let workspace = MemoryWorkspace()
    _ = try other.computation().start(in: workspace)
    #expect(throws: StintError.self) { _ = try mine.computation().start(in: workspace) }
    let list = ImageSetLedger.list(in: workspace.file(ImageSetLedger.fileName).bytes)
    #expect(try list?.items == other.plan().items)
  }

  @Test(
    "C8 places in a ledger are those of inputs that it has, whatever it says",
    arguments: ["0-9223372036854775807", "1", "0,0", "0-0,0"])
  func places(text: String) throws {
    var json = JSONLine()
    json.add("event", "list")
    json.add("places", text)
    let bytes = try input(at: 0).encoded + SealedLine.sealed(json)
    #expect(ImageSetLedger.list(in: bytes) == nil)
  }

  @Test(
    "C8 the numbers of a part in a ledger are as many as its places, whatever it says",
    arguments: [
      (Int.max, "0-9223372036854775806"), (Int.max - 1, "1-9223372036854775806,1-2"),
      (1 << 40, "1-1099511627776"), (5, "6"), (5, "1,2"), (-1, ""), (0, "0"),
    ])
  func numbers(wholeCount: Int, text: String) throws {
    var json = JSONLine()
    json.add("event", "list")
    json.add("places", text.isEmpty ? "" : "0")
    json.add("wholeCount", wholeCount)
    json.add("numbers", text)
    let bytes = try input(at: 0).encoded + SealedLine.sealed(json)
    #expect(ImageSetLedger.list(in: bytes) == nil)
  }

  @Test("C8 an input before the first makes no list")
  func placeBelowZero() throws {
    let list = ImageSetLine.list(ImageSetPlaces([0], of: nil)).encoded
    #expect(try ImageSetLedger.list(in: input(at: 0).encoded + list) != nil)
    #expect(try ImageSetLedger.list(in: input(at: -1).encoded + list) == nil)
    #expect(try ImageSetLedger.list(in: input(at: 0).encoded + input(at: -1).encoded + list) == nil)
  }

  @Test("places up to the highest number are written as they were read")
  func highestPlace() throws {
    var places = ImageSetPlaces([], of: nil)
    places.places = [0...Int.max]
    let bytes = ImageSetLine.list(places).encoded
    #expect(ImageSetLine(bytes.dropLast()) == .list(places))
  }

  @Test("more stints without progress than can be counted are none")
  func endlessStanding() throws {
    let workspace = MemoryWorkspace()
    let place = ImageSetStanding.Place(unit: .init(item: 0, frame: 0), position: "waiting")
    var json = JSONLine()
    json.add("place", place.unit.item)
    json.add("frame", place.unit.frame)
    json.add("position", place.position)
    json.add("stints", Int.max)
    workspace.file(ImageSetStanding.fileName).bytes = SealedLine.sealed(json)
    let standing = ImageSetStanding()
    try standing.load(in: workspace)
    #expect(standing.stints(at: place) == nil)
    standing.stoodStill(at: place, in: workspace)
    #expect(standing.isAlone(place.unit))
  }

  @Test("C8 a checkpoint that claims more pieces than it has bytes for is damaged")
  func claimedPieces() throws {
    let workspace = MemoryWorkspace()
    let computation = try ImageSetFixture(count: 1).computation()
    // Of the ledger nothing counts; the first input is being read, and is as long as can be.
    var payload: [UInt8] = [UInt8](repeating: 0, count: 8) + [1]
    for word in [0, 0, 1, 1, Int.max, 0, 0, 1 << 36] {
      payload += withUnsafeBytes(of: UInt64(word).littleEndian) { Array($0) }
    }
    let error = #expect(throws: StintError.self) {
      _ = try computation.decoded(payload, in: workspace)
    }
    #expect(error?.code == .damaged)
  }

  private func input(at place: Int) throws -> ImageSetLine {
    let item = ImageSetPlan.Item(
      path: "/a.png", stem: "a", ending: "png",
      request: try OutputRequest(format: "png", path: nil))
    return .input(place, item, nil)
  }
}
#endif
