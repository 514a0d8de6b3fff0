/// A state of the doubling phase: F(k) and F(k−1), where k consists of the leading bits of n.
///
/// A step to 2k or 2k+1 is two squarings, the last one perhaps a product. Between the squarings the
/// state is half a step further: the square of F(k) has taken its place. A squaring or product that
/// is done in pieces is in `split`, one that is done in stages in `staged`, never both; numbers
/// that only it needed are zero once it does not need them any more.
struct DoublingState<Number: DoublingNumber>: Sendable {
  /// How many bits of n are still to come; k is n without them.
  var remainingBits: Int
  /// Whether `current` is the square of F(k).
  var isHalfway: Bool
  /// F(k), or its square.
  var current: Number
  /// F(k−1).
  var previous: Number
  /// The next product, if it is done in pieces and one of them is.
  var split: SplitProduct<Number>?
  /// The next product, if a stage of it is done.
  var staged: Number.Staged?
}
