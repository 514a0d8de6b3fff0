/// A state of the decimal phase.
enum DecimalState: Sendable {
  /// The reciprocals are being built from the smallest level upward.
  case reciprocal(ReciprocalState)
  /// The pieces of a level are being halved.
  case splitting(SplittingState)
  /// The blocks are being converted and written, from the top.
  case writing(WritingState)
}

/// The number, and a power of ten with its reciprocal on the way to the next level.
struct ReciprocalState: Sendable {
  /// How far the step to the next level is.
  enum Step: Sendable {
    /// The power and its reciprocal are complete.
    case ready(power: BigInteger, reciprocal: BigInteger)
    /// The next power is known.
    case squared(reciprocal: BigInteger, square: BigInteger)
    /// And a reciprocal of it to half of its digits.
    case approximated(approximation: BigInteger, square: BigInteger)
    /// And what that lacks.
    case measured(approximation: BigInteger, error: BigInteger, square: BigInteger)
  }

  /// The number to convert.
  var number: BigInteger
  /// The level of the power from which the step starts.
  var level: Int
  var step: Step
}

/// Pieces of one level that are being halved by the power of the level below.
struct SplittingState: Sendable {
  /// What divides the pieces.
  enum Divisor: Sendable {
    /// The power of this level with its reciprocal.
    case ready(power: BigInteger, reciprocal: BigInteger)
    /// Only the reciprocal of the level above is known, and perhaps the power.
    case descending(power: BigInteger?, upper: BigInteger)
  }

  /// The level of the divisor and of the pieces that are done.
  var level: Int
  var divisor: Divisor
  /// Pieces of this level, most significant first.
  var done: [BigInteger]
  /// Pieces of the level above, which follow them.
  var todo: [BigInteger]
  /// The estimated quotient of the first piece to do.
  var estimate: BigInteger?
}

/// Blocks on their way into the output.
struct WritingState: Sendable {
  /// How many blocks are written.
  var written: Int
  /// The value of the written digits modulo 2^61 − 1.
  var residue: UInt64
  /// The blocks that follow, most significant first.
  var blocks: ArraySlice<BigInteger>
}

extension DecimalState {
  /// All numbers that a checkpoint of this state holds.
  var integers: [BigInteger] {
    switch self {
    case .reciprocal(let state): [state.number] + state.step.integers
    case .splitting(let state):
      state.done + state.todo + [state.estimate].compactMap(\.self) + state.divisor.integers
    case .writing(let state): Array(state.blocks)
    }
  }
}

extension ReciprocalState.Step {
  fileprivate var integers: [BigInteger] {
    switch self {
    case .ready(let power, let reciprocal): [power, reciprocal]
    case .squared(let reciprocal, let square): [reciprocal, square]
    case .approximated(let approximation, let square): [approximation, square]
    case .measured(let approximation, let error, let square): [approximation, error, square]
    }
  }
}

extension SplittingState.Divisor {
  fileprivate var integers: [BigInteger] {
    switch self {
    case .ready(let power, let reciprocal): [power, reciprocal]
    case .descending(let power, let upper): [power, upper].compactMap(\.self)
    }
  }
}
