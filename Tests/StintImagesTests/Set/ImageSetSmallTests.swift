#if Images
import Foundation
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("Images of a set that are made in memory")
struct ImageSetSmallTests {
  private static func twelve() throws -> ImageSetFixture {
    let folder = try ImageFolder()
    let names = (0..<12).map { "\($0).png" }
    for (index, name) in names.enumerated() {
      try folder.save(TestImage.image(30 + index, 40, bands: 3, seed: UInt64(index)), name)
    }
    return try ImageSetFixture(folder, names, filters: ["gaussian-blur:1"])
  }

  /// Each look at the clock finds it so much later.
  private static func hooks(step: Duration) -> ImageSetComputation.Hooks {
    var hooks = ImageSetComputation.Hooks()
    let clock = Protected(Instant(nanoseconds: 0))
    hooks.now = {
      clock.withLock { now in
        now = now.advanced(by: step)
        return now
      }
    }
    return hooks
  }

  @Test(
    "what is made in memory is judged by the time that the images before took; bytes are the same",
    arguments: [(Duration.microseconds(1), 0), (.seconds(1000), 1)])
  func judgedByTime(step: Duration, least: Int) throws {
    let fixture = try Self.twelve()
    let hooks = Self.hooks(step: step)
    let computation = try fixture.computation(hooks: hooks)
    try computation.finishAll(in: MemoryWorkspace(), atMost: 1e9)
    let large = computation.ledger.state.withLock { $0.large.count }
    // The first one for each thread is made before anything is known.
    #expect(least == 0 ? large == 0 : (6...11).contains(large), "\(large)")
    try fixture.expectAll()
  }

  @Test(
    "a guess that takes images for large makes one of them by itself",
    arguments: [(Duration.seconds(8), 0), (.microseconds(20), 1)])
  func wrongGuess(unmeasured: Duration, alone: Int) throws {
    let fixture = try Self.twelve()
    var limits = ImageSetComputation.Limits()
    // More than an image takes by this clock, and less than one is thought to take before.
    limits.longest = .microseconds(20)
    limits.longestUnmeasured = unmeasured
    var hooks = Self.hooks(step: .microseconds(1))
    let found = Protected(0)
    hooks.admit = { _ in found.withLock { $0 += 1 } }
    let computation = try fixture.computation(hooks: hooks, limits: limits)
    try computation.finishAll(in: MemoryWorkspace(), atMost: 1e9)
    #expect(found.withLock { $0 } == alone)
    #expect(Set(fixture.outputs.names) == Set(fixture.names))
  }

  @Test("what small images took says nothing of a large one: that is made by itself")
  func largeAfterSmall() throws {
    let folder = try ImageFolder()
    let names = ["0.png", "1.png", "2.png", "3-large.png"]
    for name in names {
      let (width, height) = name.contains("large") ? (150, 200) : (30, 40)
      try folder.save(TestImage.image(width, height, bands: 3, seed: 1), name)
    }
    let fixture = try ImageSetFixture(folder, names, filters: ["median:9"])
    var limits = ImageSetComputation.Limits()
    limits.longest = .seconds(1000)
    limits.longestUnmeasured = .milliseconds(30)
    var hooks = Self.hooks(step: .microseconds(1))
    let alone = Protected(0)
    hooks.admit = { _ in alone.withLock { $0 += 1 } }
    try fixture.computation(hooks: hooks, limits: limits)
      .finishAll(in: MemoryWorkspace(), atMost: 1e9)
    #expect(alone.withLock { $0 } == 1)
    #expect(Set(fixture.outputs.names) == Set(names))
  }

  @Test("a chunk of images that take seconds holds several for each thread")
  func slowImages() throws {
    let fixture = try Self.twelve()
    var limits = ImageSetComputation.Limits()
    limits.longest = .seconds(1000)
    let computation = try fixture.computation(hooks: Self.hooks(step: .seconds(5)), limits: limits)
    let workspace = MemoryWorkspace()
    let first = try #require(
      try computation.next(after: computation.start(in: workspace), in: workspace))
    let range = try #require(computation.outlook(of: first).next)
    let begun = fixture.outputs.names.count
    _ = try computation.next(after: first, in: workspace, atMost: range.efficient)
    #expect(begun <= 3 && fixture.outputs.names.count >= begun + 5, "\(fixture.outputs.names)")
    #expect(range.efficient <= range.largest && fixture.names.count == 12)
  }

  @Test("hundreds of inputs are never open at the same time")
  func descriptors() throws {
    let folder = try ImageFolder()
    let image = try TestImage.image(5, 5, bands: 3, seed: 3)
    let names = (0..<300).map { "\($0).png" }
    for name in names { try folder.save(image, name) }
    let fixture = try ImageSetFixture(folder, names)
    let most = Protected(0)
    var hooks = ImageSetComputation.Hooks()
    hooks.tell = { _ in
      let targets = ImageSetSmallTests.openFiles().filter { $0.hasPrefix(folder.path) }.count
      most.withLock { $0 = max($0, targets) }
    }
    try fixture.computation(hooks: hooks).finishAll(in: MemoryWorkspace(), atMost: 1e10)
    #expect(fixture.outputs.names.count == 300)
    // One more than the threads, while one of them waits for the disk.
    #expect(most.withLock { $0 } <= 3)
  }

  private static func openFiles() -> [String] {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
  }
}
#endif
