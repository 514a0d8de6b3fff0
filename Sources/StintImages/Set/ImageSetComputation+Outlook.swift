#if Images
import StintRuntime
package import StintCore

extension ImageSetComputation {
  /// Opening an input and reading its header, in nanoseconds of one thread, about.
  static let openingCost = 700_000.0
  /// Making a group of results durable, before any was.
  static let publishingBase = 2_000_000.0
  /// A byte of a compressed input, before any was measured.
  private static let inputByte = 60.0
  /// A chunk of small images lasts at least so long, and as long as so many images on one thread.
  ///
  /// Its threads do not end at once; that they wait for the last one is little of such a chunk.
  private static let (chunkTime, chunkImages) = (1e9, 4.0)

  static func readingCost(_ sizeBytes: Int) -> Double { 0.3 * Double(sizeBytes) }

  func publishingCost(_ state: ImageState) -> Double {
    guard case .complete(let sizeBytes) = state.phase else { return ledger.publishingCost }
    return ledger.publishingCost + Self.readingCost(sizeBytes)
  }

  package func outlook(of state: ImageSetState) -> Outlook {
    var outlook = estimate(of: state)
    outlook.isEstimated = true
    return outlook
  }

  private func estimate(of state: ImageSetState) -> Outlook {
    let counted = ledger.counted
    guard let current = state.current, !ledger.isSettled(current.unit) else {
      return between(counted)
    }
    let sizeBytes = ledger.identity(of: current.unit.item)?.sizeBytes ?? 0
    let waiting = waitingCost(counted, without: sizeBytes)
    if tooLong(state) != nil {
      return Outlook(
        progress: counted.progress(of: sizeBytes),
        next: .init(smallest: Self.openingCost, largest: Self.openingCost),
        remainingCost: waiting + Self.openingCost, checkpointBytes: 1024)
    }
    guard let (inner, checked) = current.inner, let computation = open.computation(current.unit)
    else {
      let pieces = if case .reading(let pieces) = current.phase { pieces.count } else { 0 }
      let left = max(0, sizeBytes - pieces * SourceFingerprint.pieceBytes)
      let cost = Self.openingCost + Self.readingCost(min(left, SourceFingerprint.pieceBytes))
      return Outlook(
        progress: counted.progress(of: sizeBytes, phase: "reading"),
        next: .init(smallest: cost, largest: cost),
        remainingCost: waiting + Self.readingCost(left) + Self.inputByte * Double(sizeBytes),
        checkpointBytes: 1024)
    }
    let outlook = computation.outlook(of: inner)
    let publishing = publishingCost(inner)
    // After the last piece is read back, the result is published in the same chunk.
    let unread = Self.readingCost(max(0, computation.partialBytes(inner) - checked))
    let last = publishing + min(unread, Self.readingCost(OutputChecksums.pieceBytes))
    return Outlook(
      progress: counted.progress(
        outlook.progress.fraction, of: sizeBytes, phase: outlook.progress.phase),
      next: outlook.next ?? .init(smallest: last, largest: max(last, publishing + unread)),
      remainingCost: waiting + outlook.remainingCost + publishing + unread,
      // No hardest step: what was learnt from other images says little of this one, and to refuse
      // it would be to stop all the others (W2). It was judged by itself before it began.
      checkpointBytes: outlook.checkpointBytes + 256)
  }

  private func between(_ counted: ImageSetLedger.Counted) -> Outlook {
    let waiting = waitingCost(counted, without: 0)
    let smallest = Self.openingCost + ledger.publishingCost
    return Outlook(
      progress: counted.progress(),
      next: counted.ended == counted.count
        ? nil
        : .init(
          // Twice what is expected, so that an image that is a little dearer is in the same chunk.
          smallest: smallest, largest: max(smallest, 2 * waiting),
          efficient: max(Self.chunkTime / ledger.pace, Self.chunkImages * imageCost(counted))),
      remainingCost: waiting, checkpointBytes: 256)
  }

  /// What an image costs on one thread, by those that were made; zero before the first.
  private func imageCost(_ counted: ImageSetLedger.Counted) -> Double {
    (counted.costOfByte ?? 0) * Double(counted.totalBytes) / Double(max(1, counted.count))
      * Double(threads)
  }

  private func waitingCost(
    _ counted: ImageSetLedger.Counted, without sizeBytes: Int
  ) -> Double {
    let bytes = max(0, counted.totalBytes - counted.endedBytes - sizeBytes)
    return Double(counted.count - counted.ended) * Self.openingCost / Double(max(1, threads))
      + Double(bytes) * (counted.costOfByte ?? Self.inputByte)
  }
}

extension ImageSetLedger {
  /// How far the set is.
  struct Counted {
    var count: Int
    var ended: Int
    var endedBytes: Int
    var totalBytes: Int
    /// What a byte of an input has cost so far in this process; nil before the first.
    var costOfByte: Double?

    /// The share of all inputs' bytes that is done, with so much of one more, which is in a phase.
    func progress(
      _ share: Double = 0, of sizeBytes: Int = 0, phase: String? = nil
    ) -> WorkProgress {
      WorkProgress(
        fraction: totalBytes > 0
          ? (Double(endedBytes) + share * Double(sizeBytes)) / Double(totalBytes)
          : count == 0 ? 1 : Double(ended) / Double(count),
        phase: "\(ended) of \(count) images" + (phase.map { ", \($0)" } ?? ""))
    }
  }

  var counted: Counted {
    state.withLock { state in
      Counted(
        count: state.order.count, ended: state.ended, endedBytes: state.endedBytes,
        totalBytes: state.totalBytes,
        costOfByte: state.learntBytes > 0 ? state.learntCost / Double(state.learntBytes) : nil)
    }
  }

  /// What making a group of results durable costs.
  var publishingCost: Double {
    state.withLock { $0.publishingCost ?? ImageSetComputation.publishingBase }
  }

  /// Nanoseconds of one thread that a unit of cost takes.
  var pace: Double { state.withLock { $0.pace } }

  /// Whether the pace was measured.
  var hasPace: Bool { state.withLock { $0.paceCost > 0 } }

  /// Whether the pace was measured by work of at least an eighth of this cost: the pace of small
  /// images says little of a large one.
  func hasPace(for cost: Double) -> Bool { state.withLock { cost <= 8 * $0.paceCost } }

  /// Whether this process has made an image in memory.
  var hasLearnt: Bool { state.withLock { $0.learntBytes > 0 } }

  /// Remembers how long something took that has that cost.
  func learn(pace time: Duration, of cost: Double) {
    guard time > .zero, cost > 0 else { return }
    let pace = time.inSeconds * 1e9 / cost
    state.withLock { state in
      state.pace = state.paceCost > 0 ? 0.8 * state.pace + 0.2 * pace : pace
      state.paceCost = max(state.paceCost, cost)
    }
  }

  /// Remembers what inputs have cost, and how much of it was waiting for the disk.
  func learn(cost: Double, publishing: Double, from sizeBytes: Int) {
    state.withLock { state in
      state.publishingCost = state.publishingCost.map { 0.8 * $0 + 0.2 * publishing } ?? publishing
      state.learntCost += cost
      state.learntBytes += sizeBytes
    }
  }
}
#endif
