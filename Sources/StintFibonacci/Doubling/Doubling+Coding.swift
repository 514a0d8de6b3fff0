import StintCore
import StintRuntime

extension Doubling {
  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(count: state.remainingBits)
    payload.append(
      UInt8(
        (state.isHalfway ? 1 : 0) + (state.split == nil ? 0 : 2) + (state.staged == nil ? 0 : 4)))
    Number.append(state.current, to: &payload)
    Number.append(state.previous, to: &payload)
    state.split?.encode(into: &payload)
    state.staged?.encode(into: &payload)
  }

  /// The size of the largest state from the start to the end, in bytes, even if its products are
  /// split.
  ///
  /// That is in the last step, after which there is only its result: the square of F(k) with
  /// F(k−1), and nearly all values of the square of F(k−1); or all of them, when F(k−1) is gone.
  /// Where products have stages, the last step is one product: F(k) and F(k−1) with what a stage
  /// leaves or nearly all its values, or all of these alone.
  var largestCheckpointBytes: Int {
    let pair = Number.length(ofFibonacci: n) * (wantsPair ? 2 : 1)
    guard start().remainingBits > 0 else { return 64 + 8 * pair }
    let (factor, square) = (factorLength(1), 2 * factorLength(1))
    let values = mayBeSplit(1) ? Splitting.ladder.map { splitProduct(1, parts: $0) } : []
    let endsWithProduct = isStaged(1) && !wantsPair
    // What is multiplied may be a word longer than what is stored.
    let stored = 2 * length(1)
    let split = values.map { product in
      let value = product.lengthLimit
      let (some, all) = (product.degree * value, (product.degree + 1) * value)
      return endsWithProduct ? max(stored + some, all) : square + max(factor + some, all)
    }
    let stages = isStaged(1) ? Number.Staged.lengths(factorLength: factor) : (0, 0)
    let staged =
      endsWithProduct
      ? max(stored + stages.0, stages.1) : square + max(factor + stages.0, stages.1)
    let words = max(pair, square + factor, split.max() ?? 0, staged)
    return 64 + 8 * words + (mayBeSplit(1) ? 8 + 16 * (2 * Splitting.most - 1) : 0)
  }

  /// Reads a state and checks its pair.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(_ reader: inout ByteReader) throws -> State {
    let remainingBits = try reader.readCount(
      atMost: start().remainingBits, "number of steps left")
    let length = max(Number.length(ofFibonacci: n >> remainingBits), 1)
    let flag = try reader.readByte()
    guard [0, 1, 2, 3, 4, 5].contains(flag), flag == 0 || remainingBits > 0 else {
      throw StintError(.damaged, "The checkpoint's flag \(flag) is not valid.")
    }
    let isHalfway = flag & 1 == 1
    var state = DoublingState(
      remainingBits: remainingBits, isHalfway: isHalfway,
      current: try Number.read(
        &reader, lengthAtMost: isHalfway ? 2 * length : length, "F(k)"),
      previous: try Number.read(&reader, lengthAtMost: length, "F(k-1)"))
    if flag & 2 == 2 {
      state.split = try SplitProduct(&reader, factorLength: factorLength(remainingBits))
    }
    if flag & 4 == 4 {
      guard isStaged(remainingBits) else {
        throw StintError(.damaged, "The checkpoint counts stages of a product that has none.")
      }
      state.staged = try Number.Staged(&reader, factorLength: factorLength(remainingBits))
    }
    return try verified(state)
  }
}
