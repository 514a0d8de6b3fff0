/// The numbers of the stint that is under way.
struct StintTally: Hashable, Sendable {
  let beganAt: Instant
  let workTimeAtBegin: Duration
  /// Since when there can be work that is not durable, if all was when the stint began; a rest
  /// before it does not count.
  let cleanAt: Instant?
  private(set) var chunks = 0
  private(set) var checkpoints = 0
  /// Whether a chunk made a part of the result durable by itself.
  private(set) var keptProgress = false
  /// Whether the measurements of chunks showed in it a step that fits no stint.
  private(set) var isDoubtful = false
  /// Whether such a step was measured again in it.
  private var hasMeasuredAgain = false
  private(set) var expiryAnnounced: ExpiryReason?
  /// The last chunks, without those that are too short to predict others by.
  private(set) var measured: [WorkHistory.MeasuredChunk] = []

  init(beganAt: Instant, workTimeAtBegin: Duration, cleanAt: Instant?) {
    self.beganAt = beganAt
    self.workTimeAtBegin = workTimeAtBegin
    self.cleanAt = cleanAt
  }

  var isFruitless: Bool { checkpoints == 0 && !keptProgress }

  mutating func chunkFinished() { chunks += 1 }

  /// Takes note of what a chunk took.
  mutating func measured(_ chunk: WorkHistory.MeasuredChunk, most: Int) {
    measured = (measured + [chunk]).suffix(most)
  }

  mutating func saved() { checkpoints += 1 }

  mutating func progressKept() { keptProgress = true }

  mutating func doubted() { isDoubtful = true }

  /// True the first time only: a step that fits no stint is measured again once in each.
  mutating func measuresAgain() -> Bool {
    defer { hasMeasuredAgain = true }
    return !hasMeasuredAgain
  }

  /// An expiry was announced; nil if it concerns a task that was replaced.
  mutating func announced(_ reason: ExpiryReason?) { expiryAnnounced = reason }

  /// The account of the stint, which ends now.
  func summary(_ end: StintEnd, of work: WorkInHand, at moment: Moment) -> StintSummary {
    StintSummary(
      end: end, saved: work.durableWorkTime - workTimeAtBegin,
      // The next stint goes on with what an extended one has in hand.
      lost: end == .extended ? .zero : work.unsaved,
      elapsed: beganAt.duration(to: moment.now), chunks: chunks, checkpoints: checkpoints,
      unused: moment.remaining,
      isFruitless: isFruitless && [.didNotFit, .expired].contains(end), measured: measured)
  }
}
