package import StintCore

extension FibonacciSequence {
  /// What a line costs beside its digits.
  private static let lineOverhead = 200.0
  /// What adding and writing nineteen digits costs.
  private static let limbCost = 18.0
  private static let digitsPerPosition = 0.208_987_640_249_978_73
  /// A piece of the output that one operation reads back.
  static let pieceBytes = 1 << 22

  static func lineCost(_ position: Int) -> Double {
    let digits = digitsPerPosition * Double(position)
    return lineOverhead + limbCost * (1 + digits / Double(DecimalNumber.limbDigits))
  }

  /// The cost of some lines: their mean is that of the middle one.
  static func linesCost(_ positions: ClosedRange<Int>) -> Double {
    let ends = lineCost(positions.lowerBound) + lineCost(positions.upperBound)
    return ends / 2 * Double(positions.count)
  }

  /// About how long some lines are.
  package static func estimatedBytes(_ positions: ClosedRange<Int>) -> Double {
    let middle = Double(positions.lowerBound + positions.upperBound) / 2
    let positionDigits = Double(String(positions.upperBound).utf8.count)
    return Double(positions.count) * (digitsPerPosition * middle + positionDigits + 3)
  }

  static func checkCost(bytes: Double) -> Double {
    GMPCost.overhead * (1 + bytes / Double(pieceBytes)) + bytes
  }

  /// The cost of the hardest operation of the whole work.
  var hardestCost: Double {
    max(
      doubling.hardestCost(doubling.start(), threads: 1), Self.lineCost(range.last),
      Self.checkCost(bytes: Double(Self.pieceBytes)))
  }

  func smallestCost(_ state: SequenceState) -> Double? {
    switch state.phase {
    case .doubling(let state):
      state.remainingBits > 0
        ? doubling.cost(state, threads: 1) : GMPCost.overhead
    case .lines(let state): Self.lineCost(state.position)
    case .checking(let state):
      Self.checkCost(bytes: Double(min(Self.pieceBytes, state.sizeBytes - state.checked)))
    case .complete: nil
    }
  }

  package func unsplitCost(_ state: SequenceState) -> Double? {
    if case .doubling(let state) = state.phase, state.remainingBits > 0 {
      return doubling.unsplitCost(state, threads: 1)
    }
    return smallestCost(state)
  }

  package func isSplit(_ state: SequenceState) -> Bool {
    if case .doubling(let state) = state.phase { return state.split != nil }
    return false
  }

  package var threads: Int { 1 }

  package var splitting: Splitting { doubling.splitting }

  package func nextProduct(_ state: SequenceState) -> (length: Int, isDecimal: Bool) {
    guard case .doubling(let state) = state.phase else { return (0, true) }
    return (doubling.length(state.remainingBits), true)
  }

  package func ways(_ state: SequenceState) -> [Outlook.Way] {
    guard case .doubling(let state) = state.phase else { return [] }
    return doubling.ways(state, threads: 1)
  }

  /// What is left as a part of the whole, however its products are split.
  func nominalCost(_ state: SequenceState) -> Double {
    let remaining = remainingCost(state)
    guard case .doubling(let state) = state.phase else { return remaining }
    return remaining - doubling.remainingCost(state, threads: 1)
      + doubling.nominalCost(state, threads: 1)
  }

  func remainingCost(_ state: SequenceState) -> Double {
    switch state.phase {
    case .doubling(let state):
      doubling.remainingCost(state, threads: 1) + GMPCost.overhead
        + Self.linesCost(range.first...range.last)
        + Self.checkCost(bytes: Self.estimatedBytes(range.first...range.last))
    case .lines(let state):
      Self.linesCost(state.position...range.last)
        + Self.checkCost(bytes: Self.estimatedBytes(range.first...range.last))
    case .checking(let state): Self.checkCost(bytes: Double(state.sizeBytes - state.checked))
    case .complete: 0
    }
  }
}
