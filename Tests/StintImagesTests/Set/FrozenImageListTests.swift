#if Images
import StintCore
import StintRuntime
import Testing

@testable import StintImages

@Suite("The list of a set that is submitted in shards")
struct FrozenImageListTests {
  private static func plan(_ names: [String]) throws -> ImageSetPlan {
    let request = try OutputRequest(format: "png", path: nil)
    return try ImageSetPlan(
      items: names.map {
        .init(path: FilePath("/in/\($0).tif"), stem: FilePath($0), ending: "png", request: request)
      },
      pipeline: FilterPipeline(parsing: ["invert"]), selection: .init(), takesFrames: false,
      output: .init(format: "png", suffix: ""))
  }

  private static func names(_ range: Range<Int>) -> [String] {
    range.map { $0 < 10 ? "0\($0)" : "\($0)" }
  }

  /// The names of the inputs of each part of a list.
  private static func parts(_ list: FrozenImageList, in count: Int) throws -> [[String]] {
    let plan = try plan([]).with(list.current)
    return (1...count).compactMap { Shard($0, of: count) }.map { shard in
      plan.part(shard, of: "image-set-0123456789abcdef", in: list).items.map(\.stem.text)
    }
  }

  @Test("61 images in 4 shards are 16, 15, 15 and 15, in the order of their paths")
  func turn() throws {
    let list = try FrozenImageList(Self.plan(Self.names(0..<61).reversed()))
    let parts = try Self.parts(list, in: 4)
    #expect(parts.map(\.count) == [16, 15, 15, 15])
    #expect(parts[1].prefix(3) == ["01", "05", "09"])
    #expect(parts.flatMap(\.self).sorted() == Self.names(0..<61))
  }

  @Test("by name 61 images in 4 shards are what they were before there were lists")
  func byName() throws {
    let plan = try Self.plan(Self.names(0..<61))
    let parts = (1...4).compactMap { Shard($0, of: 4) }.map {
      plan.part($0, of: "image-set-0123456789abcdef").items.map(\.name)
    }
    for (index, names) in parts.enumerated() {
      for name in names {
        #expect(XXH3Checksum.digest(Array(name.text.utf8)).low % 4 == UInt64(index), "\(name)")
      }
    }
    #expect(parts.map(\.count) == [14, 13, 21, 13])
  }

  @Test("an input keeps its shard when others come and go, and when it comes back")
  func stable() throws {
    let first = try FrozenImageList(Self.plan(Self.names(1..<10)))
    let before = try Self.parts(first, in: 3)
    let grown = try FrozenImageList(Self.plan(["zz", "00"] + Self.names(1..<10)), after: first)
    #expect(grown.items.map(\.stem.text) == Self.names(1..<10) + ["00", "zz"])
    #expect(try Self.parts(grown, in: 3) == [before[0] + ["00"], before[1] + ["zz"], before[2]])
    let shrunk = try FrozenImageList(Self.plan(Self.names(2..<9) + ["zz"]), after: grown)
    #expect(shrunk.items == grown.items)
    let without = before.map { $0.filter { $0 != "01" && $0 != "09" } }
    #expect(try Self.parts(shrunk, in: 3) == [without[0], without[1] + ["zz"], without[2]])
    let back = try FrozenImageList(Self.plan(Self.names(1..<10)), after: shrunk)
    #expect(try Self.parts(back, in: 3) == before)
    let none = try FrozenImageList(Self.plan([]), after: back)
    #expect(none.items == back.items && none.current.isEmpty)
  }

  @Test("a list is read as it was written, and not at all if a byte of it is another one")
  func damaged() throws {
    var plan = try Self.plan(Self.names(0..<5) + ["a \"b\"\nc", "ä/日"])
    plan.refused = [
      .init(name: "\\xff", path: nil, error: StintError(.usage, "The name is not UTF-8."))
    ]
    let list = try FrozenImageList(
      Self.plan(Self.names(2..<4)), after: FrozenImageList(plan))
    for list in [FrozenImageList(plan), list] {
      let bytes = list.encoded(work: "0123")
      #expect(FrozenImageList(bytes) == list)
      #expect(FrozenImageList.Head(bytes) == .init(work: "0123", count: 7))
      for place in bytes.indices {
        var other = bytes
        other[place] ^= 1 << (place % 7)
        #expect(FrozenImageList(other) == nil, "\(place)")
      }
      for count in bytes.indices.dropLast() {
        #expect(FrozenImageList(Array(bytes[..<count])) == nil, "\(count)")
      }
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for index in lines.indices.dropLast() {
        var fewer = lines
        fewer.remove(at: index)
        #expect(FrozenImageList(Array(fewer.joined(separator: [10]))) == nil, "\(index)")
      }
    }
  }

  @Test("the job of a part says by which rule it was begun, and goes on by it")
  func rule() throws {
    var plan = try Self.plan(Self.names(0..<7))
    plan.refused = (0..<4).map {
      .init(name: "bad\($0)", path: nil, error: StintError(.usage, "No image."))
    }
    let (list, whole) = (FrozenImageList(plan), "image-set-0123456789abcdef")
    let shard = try #require(Shard(2, of: 3))
    let part = plan.part(shard, of: whole, in: list)
    let byName = plan.part(shard, of: whole)
    #expect(part.ownRefused.map(\.name) == ["bad1"])
    #expect(part.parameters.values["dealt"] == "inTurn")
    #expect(byName.parameters.values["dealt"] == nil)
    #expect(ImageSetPlan.Dealing(part.parameters.values) == .inTurn)
    let record = JobRecord(
      kind: ImageSetComputation.kind, parameters: part.parameters, outputPath: "/out",
      identity: .current())
    #expect(record.shard == shard && record.whole == whole)
    let cut = try #require(part.cut)
    let again = try ImageSetPlan(
      record,
      list: .init(
        items: part.items, wholeCount: cut.count, numbers: cut.numbers, trusted: [],
        damaged: .refuse, refused: part.refused))
    #expect(again.cut == cut && again.items == part.items)
    #expect(again.ownRefused == part.ownRefused)
  }
}
#endif
