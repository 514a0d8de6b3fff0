import Foundation
import Testing

@testable import StintRuntime

@Suite("Pieces of work on a few threads")
struct ParallelTests {
  @Test(
    "memory is copied whole by one thread and by two",
    arguments: [0, 1, 4_095, 4 << 20, (4 << 20) + 1, 9_999_999])
  func copy(size: Int) {
    let block = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
    var source: [UInt8] = []
    while source.count < size { source += block.prefix(size - source.count) }
    // What is around stays.
    var target = [UInt8](repeating: 0xAA, count: size + 2)
    source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        Parallel.copy(
          source, to: UnsafeMutableRawBufferPointer(rebasing: target[1..<size + 1]))
      }
    }
    #expect(Data(target) == Data([0xAA] + source + [0xAA]))
  }

  @Test("results come in order, and the first error in order is thrown when all items have run")
  func order() throws {
    struct Failure: Error, Equatable { var index: Int }
    #expect(try Parallel.map(count: 50, threads: 3) { $0 * $0 } == (0..<50).map { $0 * $0 })
    let ran = Protected<Set<Int>>([])
    #expect(throws: Failure(index: 4)) {
      try Parallel.map(count: 9, threads: 2) { index in
        ran.withLock { _ = $0.insert(index) }
        if index == 4 || index == 7 { throw Failure(index: index) }
      }
    }
    #expect(ran.withLock { $0 } == Set(0..<9))
  }
}
