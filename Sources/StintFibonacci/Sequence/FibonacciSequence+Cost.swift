import StintCore

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
      doubling.costs(of: doubling.start(), threads: threads).hardestCost, Self.lineCost(range.last),
      Self.checkCost(bytes: Double(Self.pieceBytes)))
  }

  package func doublingOutlook(_ state: SequenceState) -> (any DoublingOutlook)? {
    guard case .doubling(let state) = state.phase else { return nil }
    return doubling.costs(of: state, threads: threads)
  }

  package var threads: Int { 1 }

  package func smallestCost(_ state: SequenceState) -> Double? {
    switch state.phase {
    case .doubling:
      doublingOutlook(state).map { $0.isOver ? GMPCost.overhead : $0.cost }
    case .lines(let state): Self.lineCost(state.position)
    case .checking(let state):
      Self.checkCost(bytes: Double(min(Self.pieceBytes, state.sizeBytes - state.checked)))
    case .complete: nil
    }
  }

  package func remainingCost(_ state: SequenceState) -> Double {
    let checking = Self.checkCost(bytes: Self.estimatedBytes(range.first...range.last))
    switch state.phase {
    case .doubling:
      return (doublingOutlook(state)?.remainingCost ?? 0) + GMPCost.overhead
        + Self.linesCost(range.first...range.last) + checking
    case .lines(let state): return Self.linesCost(state.position...range.last) + checking
    case .checking(let state):
      return Self.checkCost(bytes: Double(state.sizeBytes - state.checked))
    case .complete: return 0
    }
  }
}
