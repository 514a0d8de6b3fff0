#if Images
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("Sets of images that grow")
struct ImageSetGrowthTests {
  @Test("inputs may be added and reordered; what is done stays done")
  func added() throws {
    var fixture = try ImageSetFixture(count: 5)
    let all = fixture.names
    let workspace = MemoryWorkspace()
    fixture.names = [all[3], all[0]]
    #expect(try fixture.finish(in: workspace).made == ["0.png", "3.png"])
    fixture.names = all.reversed()
    let second = try fixture.finish(in: workspace)
    #expect(second.made == ["1.png", "2.png", "4.png"])
    #expect(second.account.done == 5 && second.account.orphans.isEmpty)
    try fixture.expectAll()
    fixture.names = all
    let third = try fixture.finish(in: workspace)
    #expect(third.made.isEmpty && third.account.madeNow == 0 && third.account.done == 5)
  }

  @Test("a result whose input the list has no more is named, stays, and is removed when wanted")
  func removed() throws {
    var fixture = try ImageSetFixture(count: 4)
    let all = fixture.names
    let workspace = MemoryWorkspace()
    try fixture.finish(in: workspace)
    try fixture.outputs.write([1], "stranger.png")
    fixture.names = [all[0], all[3]]
    var found = try fixture.finish(in: workspace).account
    #expect(found.orphans == ["1.png", "2.png"] && !found.orphansAreRemoved)
    #expect(found.count == 2 && found.done == 2)
    #expect(fixture.outputs.names.count == 5)
    // Somebody else's file under the name of a result is none of ours.
    unlink(fixture.outputs.path("2.png"))
    try fixture.outputs.write([2], "2.png")
    fixture.removesOrphans = true
    found = try fixture.finish(in: workspace).account
    #expect(found.orphans == ["1.png"] && found.orphansAreRemoved)
    #expect(fixture.outputs.names.sorted() == ["0.png", "2.png", "3.png", "stranger.png"])
    #expect(try fixture.finish(in: workspace).account.orphans.isEmpty)
    // Back again, what was removed is made again; the other name is in use.
    fixture.names = [all[0], all[1], all[3]]
    #expect(try fixture.finish(in: workspace).made == ["1.png"])
    try fixture.expectAll()
    fixture.names = all
    #expect(throws: StintError.self) { try fixture.finish(in: workspace) }
  }

  @Test("a done input whose file is gone counts as done, and its result as one without an input")
  func gone() throws {
    var fixture = try ImageSetFixture(count: 3)
    let workspace = MemoryWorkspace()
    try fixture.finish(in: workspace)
    unlink(fixture.inputs.path("2.png"))
    let found = try fixture.finish(in: workspace).account
    #expect(found.done == 3 && found.failures.isEmpty && found.orphans == ["2.png"])
    fixture.removesOrphans = true
    #expect(try fixture.finish(in: workspace).account.orphans == ["2.png"])
    #expect(fixture.outputs.names.sorted() == ["0.png", "1.png"])
    #expect(throws: StintError.self) { try fixture.finish(in: workspace) }
  }

  @Test(
    "what changed is made again, what was only touched is not; one that fails keeps its old result")
  func changed() throws {
    let fixture = try ImageSetFixture(count: 5)
    let workspace = MemoryWorkspace()
    try fixture.finish(in: workspace)
    for name in ["1.png", "3.png"] {
      let bytes = try fixture.inputs.bytes(name)
      unlink(fixture.inputs.path(name))
      try fixture.inputs.write(bytes, name)
    }
    try fixture.inputs.save(TestImage.image(61, 33, bands: 3, seed: 77), "0.png")
    let old = try fixture.outputs.bytes("4.png")
    let good = try fixture.inputs.bytes("4.png")
    try fixture.inputs.write(Array(good.prefix(good.count / 2)), "4.png")
    #expect(throws: StintError.self) { try fixture.finish(in: workspace) }
    #expect(try fixture.outputs.bytes("0.png") == fixture.expected("0.png"))
    #expect(try fixture.outputs.bytes("4.png") == old)
    try fixture.inputs.write(good, "4.png")
    let repaired = try fixture.finish(in: workspace)
    #expect(repaired.made.isEmpty && repaired.account.orphans.isEmpty)
    try fixture.expectAll()
    #expect(try fixture.finish(in: workspace).made.isEmpty)
  }

  @Test("frames that an input has no more are results without an input")
  func fewerFrames() throws {
    let folder = try ImageFolder()
    func write(_ frames: Int) throws {
      let strip = try TestImage.image(30, 20 * frames, bands: 3, seed: 3)
      try folder.save(strip.editing([.integer("page-height", 20)]), "pages.tif", "tiffsave")
    }
    try write(11)
    var fixture = try ImageSetFixture(folder, ["pages.tif"], takesFrames: true)
    let workspace = MemoryWorkspace()
    try fixture.finish(in: workspace)
    unlink(folder.path("pages.tif"))
    try write(3)
    let found = try fixture.finish(in: workspace).account
    #expect(found.files == 3 && found.orphans.count == 11)
    fixture.removesOrphans = true
    try fixture.finish(in: workspace)
    #expect(fixture.outputs.names.sorted() == ["pages-0.png", "pages-1.png", "pages-2.png"])
  }

  @Test(
    "R1 a process that ends at any write of the ledger, or at any chunk's end, while a set changes loses nothing"
  )
  func killedWhileGrowing() throws {
    // The inputs of each run, and what becomes of the files before it.
    let lists = [[0, 1, 2], [4, 1, 3, 0], [3, 4, 2, 1, 0], [1, 2]]
    var seed = SplitMix64(seed: 20)
    for round in 0..<3 {
      var fixture = try ImageSetFixture(count: 5)
      let all = fixture.names
      let workspace = MemoryWorkspace()
      for (step, list) in lists.enumerated() {
        fixture.names = list.map { all[$0] }
        fixture.removesOrphans = step == 3
        if step > 0 {
          try fixture.inputs.save(
            TestImage.image(50 + step, 40 + round, bands: 3, seed: UInt64(step)),
            all[step == 2 ? 1 : 0])
        }
        var checkpoint: [UInt8]?
        var lives = 0
        while true {
          lives += 1
          try #require(lives < 400)
          // Some lives end before anything is durable, some between the line and the name.
          let last = lives % 40 == 0 ? Int.max : Int(seed.next() % 4)
          let calls = Protected(0)
          var hooks = ImageSetComputation.Hooks()
          hooks.makeDurable = { _ in
            try calls.withLock { calls in
              calls += 1
              if calls > last { throw StintError(.io, "the process ends here") }
            }
          }
          do {
            let computation = try fixture.computation(hooks: hooks)
            var state =
              try checkpoint.map { try computation.decoded($0, in: workspace) }
              ?? computation.start(in: workspace)
            checkpoint = try computation.encoded(state)
            while let next = try computation.next(
              after: state, in: workspace, atMost: seed.next() % 2 == 0 ? 1e9 : nil)
            {
              state = next
              checkpoint = try computation.encoded(state)
              if last != .max, seed.next() % 4 == 0 {
                throw StintError(.io, "the process ends here")
              }
            }
            try computation.finish(state, in: workspace)
            break
          } catch let error as StintError where error.message == "the process ends here" {}
          for name in fixture.outputs.names where !name.hasPrefix(".") {
            #expect(try !fixture.outputs.bytes(name).isEmpty)
          }
        }
        try fixture.expectAll()
      }
      #expect(fixture.outputs.names.sorted() == ["1.png", "2.png"])
    }
  }

  @Test("results below folders are made, found again, and not put through a link")
  func tree() throws {
    var fixture = try ImageSetFixture(count: 0)
    mkdir(fixture.inputs.path("a"), 0o700)
    mkdir(fixture.inputs.path("a/b"), 0o700)
    fixture.names = ["top.png", "a/x.png", "a/b/x.png"]
    for (index, name) in fixture.names.enumerated() {
      try fixture.inputs.save(TestImage.image(20 + index, 30, bands: 3, seed: 5), name)
    }
    let workspace = MemoryWorkspace()
    #expect(try fixture.finish(in: workspace).made.count == 3)
    try fixture.expectAll()
    #expect(try fixture.finish(in: workspace).made.isEmpty)
    fixture.names = ["top.png"]
    fixture.removesOrphans = true
    #expect(try fixture.finish(in: workspace).account.orphans == ["a/b/x.png", "a/x.png"])
    #expect(access(fixture.outputs.path("a/b/x.png"), F_OK) != 0)
    let elsewhere = try ImageFolder()
    mkdir(fixture.inputs.path("c"), 0o700)
    try fixture.inputs.write(try fixture.inputs.bytes("top.png"), "c/x.png")
    symlink(elsewhere.path, fixture.outputs.path("c"))
    fixture.names = ["c/x.png"]
    let error = #expect(throws: StintError.self) { try fixture.finish(in: workspace) }
    #expect(error?.code == .cannotCreate)
    #expect(elsewhere.names.isEmpty)
  }

  @Test(
    "R1 half an image that was dropped is made from its beginning, if its input is back in the next run",
    arguments: [true, false])
  func droppedAndBack(isRemoved: Bool) throws {
    var fixture = try ImageSetFixture(count: 2)
    let all = fixture.names
    let workspace = MemoryWorkspace()
    let good = try fixture.inputs.bytes("1.png")
    let first = try fixture.computation()
    var state = try first.start(in: workspace)
    while workspace.file().bytes.isEmpty {
      state = try #require(try first.next(after: state, in: workspace))
    }
    let checkpoint = try first.encoded(state)
    if isRemoved {
      fixture.names = [all[0]]
    } else {
      try fixture.inputs.save(TestImage.image(331, 1317, bands: 3, seed: 9), "1.png")
    }
    // It drops what is half made, and is ended before its next checkpoint.
    #expect(try fixture.computation().decoded(checkpoint, in: workspace).current == nil)
    if !isRemoved { try fixture.inputs.write(good, "1.png") }
    fixture.names = all
    for _ in 0..<2 {
      let next = try fixture.computation()
      try next.goOn(from: next.decoded(checkpoint, in: workspace), in: workspace, atMost: 1e9)
    }
    try fixture.expectAll()
  }

  @Test("an input with other bytes is begun anew, though all that is seen of the file is the same")
  func sameIdentityOtherBytes() throws {
    let fixture = try ImageSetFixture(count: 1)
    let workspace = MemoryWorkspace()
    try fixture.finish(in: workspace)
    let ledger = try fixture.computation().ledger
    try ledger.load(in: workspace)
    let other = Checksum128(high: 1, low: 1)
    #expect(ledger.verdict(0, other) == .changed)
    try ledger.beginAnew(0, #require(ledger.identity(of: 0)), in: workspace)
    #expect(ledger.verdict(0, other) == .new && ledger.next(2) == [.init(item: 0, frame: 0)])
    let again = try fixture.computation().ledger
    try again.load(in: workspace)
    #expect(again.verdict(0, other) == .new)
  }

  @Test(
    "a folder of results has the permissions of the process, and what its own folder hands down")
  func permissions() throws {
    var fixture = try ImageSetFixture(count: 1)
    mkdir(fixture.inputs.path("a"), 0o700)
    try fixture.inputs.write(try fixture.inputs.bytes("0.png"), "a/0.png")
    try #require(chmod(fixture.outputs.path, 0o2755) == 0)
    fixture.names = ["a/0.png"]
    try fixture.finish(in: MemoryWorkspace())
    var status = stat()
    try #require(stat(fixture.outputs.path("a"), &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o2000 | 0o777 & ~StoreIdentity.fileModeMask)
  }
}
#endif
