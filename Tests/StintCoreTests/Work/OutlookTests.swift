import Testing

@testable import StintCore

@Suite("What a computation may say of its states and chunks")
struct OutlookTests {
  private func outlook(
    _ fraction: Double = 0.5, next: Outlook.ChunkRange? = .init(smallest: 1, largest: 10)
  ) -> Outlook {
    Outlook(
      progress: WorkProgress(fraction: fraction, phase: "counting"), next: next,
      remainingCost: 10, checkpointBytes: 8)
  }

  @Test("W2 with less left than the smallest piece, that is the next chunk")
  func lastChunk() throws {
    let range = Outlook.ChunkRange(smallest: 30, largest: 7, efficient: 20)
    #expect(range == Outlook.ChunkRange(smallest: 7, largest: 7))
    try outlook(next: range).check()
  }

  @Test("W2 a next chunk that costs nothing or no number is an error with a sentence")
  func nextChunk() {
    for (smallest, largest) in [(0, 1), (-1, 1), (0, 0), (1, .nan), (.nan, 1), (1, .infinity)] {
      let range = Outlook.ChunkRange(smallest: smallest, largest: largest)
      let error = #expect(throws: StintError.self, "\(smallest), \(largest)") {
        try outlook(next: range).check()
      }
      #expect(error?.code == .checkFailed && error?.message.contains("next chunk") == true)
    }
    for bytes in [-1, .nan, .infinity] {
      let range = Outlook.ChunkRange(smallest: 1, largest: 2, outputPerCost: bytes)
      #expect(throws: StintError.self) { try outlook(next: range).check() }
    }
    var unknown = outlook()
    unknown.progress.fraction = .nan
    #expect(throws: StintError.self) { try unknown.check() }
    for cost in [-1, .nan, .infinity] {
      var unknown = outlook()
      unknown.remainingCost = cost
      #expect(throws: StintError.self) { try unknown.check() }
    }
  }

  @Test("W2 what a chunk cost is above zero, a number, and not more than was asked for")
  func cost() throws {
    let (earlier, later) = (outlook(0.5), outlook(0.6))
    for cost in [0, -1, .nan, .infinity, 10.1] {
      let error = #expect(throws: StintError.self, "\(cost)") {
        try later.check(after: cost, atMost: 10, from: earlier)
      }
      #expect(error?.message.contains("\(cost)") == true)
    }
    try later.check(after: 10 * (1 + 1e-9), atMost: 10, from: earlier)
    try later.check(after: 0.1, atMost: 10, from: earlier)
  }

  @Test("W10 progress that falls is an error that names both numbers")
  func progress() throws {
    let error = #expect(throws: StintError.self) {
      try outlook(0.25).check(after: 1, atMost: 1, from: outlook(0.5))
    }
    #expect(error?.message.contains("0.25") == true && error?.message.contains("0.5") == true)
    try outlook(0.5).check(after: 1, atMost: 1, from: outlook(0.5))
    try outlook(1, next: nil).check(after: 1, atMost: 1, from: outlook(0.5))
  }
}
