#if Images
import Glibc
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("The work on many images")
struct ImageSetTests {
  @Test(
    "W8 each result has the bytes that a run over its input alone makes",
    arguments: [nil, 1e9] as [Double?], [false, true])
  func bytes(cost: Double?, streams: Bool) throws {
    var fixture = try ImageSetFixture()
    fixture.streams = streams
    let found = try fixture.finish(in: MemoryWorkspace(), atMost: cost).account
    #expect(fixture.outputs.names.sorted() == fixture.names)
    try fixture.expectAll()
    #expect(found.done == 5 && found.files == 5 && found.madeNow == 5 && found.failures.isEmpty)
    #expect(
      try found.sizeBytes == fixture.names.reduce(0) { try $0 + fixture.outputs.bytes($1).count })
  }

  @Test(
    "W8 a process that begins again at any chunk's end makes the same files, and none twice",
    arguments: [false, true])
  func resumedAnywhere(streams: Bool) throws {
    var fixture = try ImageSetFixture(filters: [streams ? "sharpen" : "equalise", "median:3"])
    fixture.streams = streams
    let workspace = MemoryWorkspace()
    let first = try fixture.computation()
    var bytes = try first.encoded(first.start(in: workspace))
    let made = Protected<[String]>([])
    var hooks = ImageSetComputation.Hooks()
    hooks.tell = { event in
      if case .done(let input, _, _) = event { made.withLock { $0.append(input) } }
    }
    var chunks = 0
    while true {
      // Nothing but the checkpoint and the files comes from one process to the next.
      let computation = try fixture.computation(hooks: hooks)
      let state = try computation.decoded(bytes, in: workspace)
      guard let next = try computation.next(after: state, in: workspace) else { break }
      bytes = try computation.encoded(next)
      chunks += 1
      try #require(chunks < 2000)
    }
    #expect(chunks > 8)
    #expect(made.withLock { $0 }.sorted() == fixture.names.map(fixture.inputs.path))
    try fixture.expectAll()
  }

  @Test("R1 a process that ends between writing down and renaming has made its results")
  func killedBeforeRenaming() throws {
    let fixture = try ImageSetFixture(count: 1)
    let workspace = MemoryWorkspace()
    var hooks = ImageSetComputation.Hooks()
    hooks.makeDurable = { _ in throw StintError(.io, "the process ends here") }
    let killed = try fixture.computation(hooks: hooks)
    #expect(throws: StintError.self) { try killed.finishAll(in: workspace, atMost: 1e9) }
    // R18: nothing stands under the final name yet.
    #expect(!fixture.outputs.names.contains("0.png"))
    #expect(fixture.outputs.names.count == 1)
    #expect(try fixture.finish(in: workspace, atMost: nil).account.madeNow == 0)
    #expect(fixture.outputs.names == ["0.png"])
    #expect(try fixture.outputs.bytes("0.png") == fixture.expected("0.png"))
  }

  @Test("a process that ends before writing down leaves nothing that stays")
  func killedBeforeWritingDown() throws {
    let fixture = try ImageSetFixture(count: 1)
    let folder = try fixture.computation().folder
    let staged = try [1, 2, 3].withUnsafeBytes {
      try folder.stage($0, as: .init(item: 0, frame: 0))
    }
    _ = try folder.synchronize(staged)
    #expect(fixture.outputs.names.count == 1)
    try fixture.outputs.write([1], ".stint-of-somebody-else")
    try fixture.computation().finishAll(in: MemoryWorkspace())
    #expect(fixture.outputs.names.sorted() == [".stint-of-somebody-else", "0.png"])
  }

  @Test(
    "an input that is broken or missing fails alone, is named, and is tried again when it is repaired"
  )
  func failures() throws {
    let fixture = try ImageSetFixture(count: 4)
    let good = try fixture.inputs.bytes("2.png")
    try fixture.inputs.write(Array(good.prefix(good.count / 2)), "2.png")
    let hidden = try fixture.inputs.bytes("3.png")
    unlink(fixture.inputs.path("3.png"))
    let workspace = MemoryWorkspace()
    let failure = #expect(throws: StintError.self) {
      try fixture.computation().finishAll(in: workspace, atMost: 1e9)
    }
    #expect(failure?.code == .partlyFailed)
    #expect(failure?.message.contains("2.png") ?? false)
    #expect(failure?.message.contains("3.png") ?? false)
    #expect(failure?.message.contains("2 of 4 images failed") ?? false)
    #expect(fixture.outputs.names.sorted() == ["0.png", "1.png"])
    // Half of them repaired, then all.
    try fixture.inputs.write(good, "2.png")
    #expect(throws: StintError.self) {
      try fixture.computation().finishAll(in: workspace, atMost: 1e9)
    }
    #expect(fixture.outputs.names.sorted() == ["0.png", "1.png", "2.png"])
    try fixture.inputs.write(hidden, "3.png")
    try fixture.computation().finishAll(in: workspace, atMost: 1e9)
    try fixture.expectAll()
  }

  @Test(
    "a large input that is broken in its middle fails alone, and nothing of it stays",
    arguments: [false, true])
  func largeFailure(streams: Bool) throws {
    var fixture = try ImageSetFixture(count: 3)
    fixture.streams = streams
    let good = try fixture.inputs.bytes("1.png")
    try fixture.inputs.write(Array(good.prefix(good.count / 2)), "1.png")
    let workspace = MemoryWorkspace()
    let failure = #expect(throws: StintError.self) {
      try fixture.computation().finishAll(in: workspace)
    }
    #expect(failure?.code == .partlyFailed)
    #expect(fixture.outputs.names.sorted() == ["0.png", "2.png"])
    #expect(workspace.file(ImageGraph.decodedName).bytes.isEmpty)
  }

  /// Works until the first image is done and the second one half.
  private func half(_ fixture: ImageSetFixture, in workspace: MemoryWorkspace) throws -> [UInt8] {
    let computation = try fixture.computation()
    var state = try computation.start(in: workspace)
    for _ in 0..<5 { state = try #require(try computation.next(after: state, in: workspace)) }
    #expect(state.current?.unit.item == 1)
    return try computation.encoded(state)
  }

  @Test(
    "W10 an input that changed after something was made of it is made anew, and only that",
    arguments: 0...1)
  func changed(index: Int) throws {
    let fixture = try ImageSetFixture()
    let workspace = MemoryWorkspace()
    let bytes = try half(fixture, in: workspace)
    try fixture.inputs.save(TestImage.image(50, 40, bands: 3, seed: 3), "\(index).png")
    let told = Protected<[String]>([])
    var hooks = ImageSetComputation.Hooks()
    hooks.tell = { event in
      if case .notice(let notice) = event { told.withLock { $0.append(notice.message) } }
      if case .done(let input, _, _) = event { told.withLock { $0.append(input) } }
    }
    let computation = try fixture.computation(hooks: hooks)
    try computation.goOn(from: computation.decoded(bytes, in: workspace), in: workspace)
    try fixture.expectAll()
    #expect(fixture.outputs.names.sorted() == fixture.names)
    let path = fixture.inputs.path("\(index).png")
    let found = told.withLock { $0 }
    #expect(found.contains(path))
    // What was half is said to be lost; what was done is not made again unless it changed.
    #expect(found.contains { $0.hasPrefix("\(path) has changed") } == (index == 1))
    #expect(found.contains(fixture.inputs.path("0.png")) == (index == 0))
  }

  @Test(
    "an input that is another file with the same bytes is the same; one not begun is taken as it is"
  )
  func replaced() throws {
    let fixture = try ImageSetFixture()
    let workspace = MemoryWorkspace()
    let bytes = try half(fixture, in: workspace)
    for name in ["0.png", "1.png"] {
      let contents = try fixture.inputs.bytes(name)
      unlink(fixture.inputs.path(name))
      try fixture.inputs.write(contents, name)
    }
    try fixture.inputs.save(TestImage.image(52, 40, bands: 3, seed: 3), "4.png")
    let computation = try fixture.computation()
    try computation.goOn(from: computation.decoded(bytes, in: workspace), in: workspace)
    try fixture.expectAll()
  }

  @Test("W13 an image that two stints came no further with fails by name, and the others go on")
  func standingStill() throws {
    let fixture = try ImageSetFixture()
    let workspace = MemoryWorkspace()
    var bytes = try half(fixture, in: workspace)
    for _ in 0..<2 {
      // Each in a process of its own.
      let computation = try fixture.computation()
      let state = try computation.decoded(bytes, in: workspace)
      #expect(computation.tooLong(state) == nil)
      computation.stintWasFruitless(at: state, in: workspace)
      bytes = try computation.encoded(state)
    }
    var hooks = ImageSetComputation.Hooks()
    hooks.advise = { _ in " Be patient." }
    let computation = try fixture.computation(hooks: hooks)
    let failure = #expect(throws: StintError.self) {
      try computation.goOn(from: computation.decoded(bytes, in: workspace), in: workspace)
    }
    #expect(failure?.code == .partlyFailed)
    #expect(failure?.message.contains("1.png takes longer than a stint: 2 in a row") ?? false)
    #expect(failure?.message.contains("Be patient.") ?? false)
    #expect(fixture.outputs.names.sorted() == fixture.names.filter { $0 != "1.png" })
    // Tried again when nothing else is left.
    try fixture.computation().finishAll(in: workspace)
    #expect(try fixture.outputs.bytes("1.png") == fixture.expected("1.png"))
  }

  @Test(
    "a place that is left between two fruitless stints, or a damaged note of it, counts for nothing"
  )
  func movingOn() throws {
    let fixture = try ImageSetFixture()
    let workspace = MemoryWorkspace()
    let first = try fixture.computation()
    var state = try first.decoded(half(fixture, in: workspace), in: workspace)
    first.stintWasFruitless(at: state, in: workspace)
    state = try #require(try first.next(after: state, in: workspace))
    first.stintWasFruitless(at: state, in: workspace)
    #expect(first.tooLong(state) == nil)
    first.stintWasFruitless(at: state, in: workspace)
    #expect(first.tooLong(state) != nil)
    let bytes = try first.encoded(state)
    try [UInt8(ascii: "9")].withUnsafeBytes {
      try workspace.file(ImageSetStanding.fileName).write($0, at: 0)
    }
    let second = try fixture.computation()
    #expect(try second.tooLong(second.decoded(bytes, in: workspace)) == nil)
  }

  @Test("the one input that is half done is known by its checksum, not by its time")
  func disguised() throws {
    let fixture = try ImageSetFixture(count: 2)
    let workspace = MemoryWorkspace()
    let bytes = try half(fixture, in: workspace)
    var contents = try fixture.inputs.bytes("1.png")
    var before = stat()
    stat(fixture.inputs.path("1.png"), &before)
    func write() throws {
      try fixture.inputs.write(contents, "1.png")
      var times = [before.st_atim, before.st_mtim]
      utimensat(AT_FDCWD, fixture.inputs.path("1.png"), &times, 0)
    }
    // The same bytes with the same time are the same file, whatever else is new about it.
    try write()
    #expect(throws: Never.self) { _ = try fixture.computation().decoded(bytes, in: workspace) }
    contents[contents.count / 2] ^= 1
    try write()
    let other = try fixture.computation().decoded(bytes, in: workspace)
    #expect(other.current == nil)
  }

  @Test(
    "R19 a file that is not this job's is refused before the work, and replaced when that is wanted"
  )
  func existing() throws {
    let fixture = try ImageSetFixture(count: 3)
    try fixture.outputs.write([1], "2.png")
    let error = #expect(throws: StintError.self) {
      try fixture.computation().finishAll(in: MemoryWorkspace())
    }
    #expect(error?.code == .cannotCreate)
    #expect(error?.message.contains("/2.png exists") ?? false)
    #expect(fixture.outputs.names == ["2.png"])
    let workspace = MemoryWorkspace()
    try fixture.computation(force: true).finishAll(in: workspace)
    #expect(try fixture.outputs.bytes("2.png") == fixture.expected("2.png"))
    // A result that went away is made again, one that was replaced is somebody else's.
    unlink(fixture.outputs.path("0.png"))
    try fixture.computation().finishAll(in: workspace)
    #expect(try fixture.outputs.bytes("0.png") == fixture.expected("0.png"))
    try fixture.outputs.write([9], "0.png")
    #expect(throws: StintError.self) { _ = try fixture.computation().start(in: workspace) }
  }

  @Test("two results of one name are refused with both inputs")
  func collision() throws {
    let request = try OutputRequest(format: "png", path: nil)
    func item(_ path: String) -> ImageSetPlan.Item {
      .init(path: FilePath(path), stem: "x", ending: "png", request: request)
    }
    func message(_ first: String, _ second: String) -> String {
      do {
        _ = try ImageSetPlan(
          items: [item(first), item(second)], pipeline: FilterPipeline(parsing: []),
          selection: .init(), takesFrames: false, output: .init(format: "png", suffix: ""))
        return ""
      } catch {
        return "\(error)"
      }
    }
    let different = message("/a/x.png", "/b/x.tif")
    #expect(different.contains("/a/x.png and /b/x.tif would both be x.png"))
    #expect(message("/a/x.png", "/a/x.png").contains("is given twice"))
  }

  @Test(
    "each frame is a file with its number, of as many digits as the last one has",
    arguments: [("tif", "tiffsave"), ("gif", "gifsave"), ("webp", "webpsave")])
  func frames(ending: String, saver: String) throws {
    let folder = try ImageFolder()
    let strip = try TestImage.image(30, 20 * 11, bands: 3, seed: 3)
    let pages = "pages.\(ending)"
    try folder.save(strip.editing([.integer("page-height", 20)]), pages, saver)
    try folder.save(TestImage.image(12, 9, bands: 3, seed: 3), "one.png")
    let fixture = try ImageSetFixture(
      folder, [pages, "one.png"], filters: [ending == "tif" ? "invert" : "gaussian-blur:1"],
      takesFrames: true)
    try fixture.computation().finishAll(in: MemoryWorkspace())
    let names = (0..<11).map { "pages-" + ($0 < 10 ? "0" : "") + "\($0).png" }
    #expect(fixture.outputs.names.sorted() == (["one-0.png"] + names).sorted())
    for (page, name) in names.enumerated() {
      #expect(try fixture.outputs.bytes(name) == fixture.expected(pages, page: page))
    }
    // They differ, so that a page taken for another one is seen.
    #expect(try Set(names.map { try fixture.outputs.bytes($0) }).count == 11)
  }
}
#endif
