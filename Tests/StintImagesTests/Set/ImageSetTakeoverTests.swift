#if Images
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("Sets of images that an older version began")
struct ImageSetTakeoverTests {
  /// A finished set of the inputs 0, 1 and 2 with a ledger of an older version, and a list of 3, 0
  /// and 2.
  private struct Old {
    var fixture: ImageSetFixture
    let removed = Protected(0)

    init() throws {
      fixture = try ImageSetFixture(count: 4)
      let all = fixture.names
      let workspace = MemoryWorkspace()
      fixture.names = Array(all[..<3])
      try fixture.computation().finishAll(in: workspace, atMost: 1e9)
      // It began its ledger with another line, and wrote no list.
      var head = JSONLine()
      head.add("event", "set")
      head.add("version", 1)
      head.add("count", 3)
      let lines = workspace.file(ImageSetLedger.fileName).bytes.split(separator: UInt8(ascii: "\n"))
      let kept = lines.filter { line in
        switch ImageSetLine(line) {
        case .head, .list, nil: false
        case .input, .same, .done, .failed, .dropped: true
        }
      }
      let removed = removed
      fixture.earlier = [
        EarlierImageSet(
          ledger: SealedLine.sealed(head) + kept.flatMap { $0 + [UInt8(ascii: "\n")] },
          parameters: ["count": "3"]
        ) { removed.withLock { $0 += 1 } }
      ]
      fixture.names = [all[3], all[2], all[0]]
    }

    /// Runs to the end.
    ///
    /// - Returns: The inputs of which something was made.
    func finish(
      in workspace: MemoryWorkspace, _ change: (inout ImageSetComputation.Hooks) -> Void = { _ in }
    ) throws -> [String] {
      try fixture.finish(in: workspace, change).made
    }

    func expectAll() throws {
      #expect(fixture.outputs.names.sorted() == ["0.png", "1.png", "2.png", "3.png"])
      try fixture.expectAll()
    }
  }

  @Test("what it made is taken over, only what is new is made, and then its job goes")
  func takenOver() throws {
    let old = try Old()
    let workspace = MemoryWorkspace()
    #expect(try old.finish(in: workspace) == ["3.png"])
    #expect(old.removed.withLock { $0 } == 1)
    // A process that was ended before it went finds it again, and nothing new in it.
    #expect(try old.finish(in: workspace).isEmpty)
    try old.expectAll()
  }

  @Test("R1 a process that ends after any part of the ledger makes nothing again that stands")
  func cutAnywhere() throws {
    let old = try Old()
    let workspace = MemoryWorkspace()
    _ = try old.finish(in: workspace)
    let bytes = workspace.file(ImageSetLedger.fileName).bytes
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    #expect(ends.count > 8)
    for length in [0] + ends.flatMap({ [$0 - 20, $0 - 1, $0] }) {
      // The new one has no name yet when its line is written.
      unlink(old.fixture.outputs.path("3.png"))
      let next = MemoryWorkspace()
      next.file(ImageSetLedger.fileName).bytes = Array(bytes[..<length])
      #expect(try old.finish(in: next) == ["3.png"], "after \(length) bytes")
      try old.expectAll()
    }
  }

  @Test("R1 a full disk at any byte of the ledger loses nothing, and the old job stays till then")
  func fullDisk() throws {
    let old = try Old()
    let whole = MemoryWorkspace()
    _ = try old.finish(in: whole)
    let bytes = whole.file(ImageSetLedger.fileName).bytes
    for mostBytes in stride(from: 0, to: bytes.count, by: 150) {
      unlink(old.fixture.outputs.path("3.png"))
      old.removed.withLock { $0 = 0 }
      let full = MemoryWorkspace(mostBytes: mostBytes)
      #expect(throws: StintError.self) { try old.finish(in: full) }
      let lines = full.file(ImageSetLedger.fileName).bytes
      let isTaken = String(decoding: lines, as: UTF8.self).contains("2.png")
      #expect(isTaken || old.removed.withLock { $0 } == 0, "with \(mostBytes) bytes")
      let next = MemoryWorkspace()
      next.file(ImageSetLedger.fileName).bytes = lines
      #expect(try old.finish(in: next) == ["3.png"], "with \(mostBytes) bytes")
      try old.expectAll()
    }
  }

  @Test("R1 a process that ends when any line is to be made durable loses nothing")
  func killedAnywhere() throws {
    for last in 0..<4 {
      let old = try Old()
      let workspace = MemoryWorkspace()
      let calls = Protected(0)
      let first: [String]? = try? old.finish(in: workspace) { hooks in
        hooks.makeDurable = { _ in
          try calls.withLock { calls in
            calls += 1
            if calls > last { throw StintError(.io, "the process ends here") }
          }
        }
      }
      #expect(last > 0 || old.removed.withLock { $0 } == 0)
      let second = try old.finish(in: workspace)
      #expect((first ?? []) + second == ["3.png"] || first == nil && second.isEmpty)
      try old.expectAll()
    }
  }
}
#endif
