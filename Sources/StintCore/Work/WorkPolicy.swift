/// The numbers that decide how a worker cuts, saves and judges its work.
///
/// What the system grants is in ``SystemPolicy``; what the worker makes of it is here. No number is
/// written anywhere else.
public struct WorkPolicy: Hashable, Sendable {
  /// How long a chunk should take if the computation can be cut so finely.
  public var chunkTarget: Duration = .milliseconds(250)
  /// How long the time between two durable points is; nil for the interval of Young and Daly.
  public var checkpointEvery: Duration?
  /// While a chunk that is expected to take so long runs, the state that it starts from is saved
  /// behind it, unless the interval is given; nil where the work stands still while a checkpoint is
  /// written, because then each would cost its whole time.
  public var longChunk: Duration? = .seconds(1)
  /// Whether work goes on at its full speed while a checkpoint is written, because another
  /// processor is free for that.
  ///
  /// If so, unsaved work is saved as a precaution when the end is near. If not, a checkpoint costs
  /// the time in which a chunk could run, so none is written because of an end that was known from
  /// the beginning.
  public var worksWhileSaving = true
  /// Behind a long chunk nothing is saved that takes more than this share of the work that it makes
  /// durable: chunk after chunk the disk, and the processor that copies, would do little else.
  public var behindShare = 0.1
  /// The numbers behind that interval.
  public var checkpointSchedule = CheckpointSchedulePolicy()
  /// What it takes to end a task and to write the last journal line once the state is durable.
  public var closing: Duration = .milliseconds(10)
  /// How many wake-ups are measured at the beginning of a stint with an end, to learn how late this
  /// machine wakes a thread.
  public var wakeProbes = 4
  /// How far apart those are.
  public var wakeProbeInterval: Duration = .milliseconds(15)
  /// How many of the last wake-ups are remembered; the greatest lateness among them is kept free
  /// before the deadline, in addition to `closing`.
  public var wakeWindow = 8
  /// The quantile of chunk and checkpoint times that must fit before the deadline.
  public var quantile = 0.99
  /// The factor on the mean that stands for the quantile until enough samples are known.
  public var earlyFactor = 1.25
  /// The factor on the mean is never below this.
  public var leastFactor = 1.02
  /// From this many samples on, the quantile is taken from the residuals alone.
  public var earlySamples = 20
  /// So many of the last residuals are kept.
  public var residualWindow = 128
  /// So many of the last chunks of a stint are told to the stints of later processes.
  public var toldChunks = 16
  /// The weight of the newest sample in the mean of measured over predicted.
  public var meanWeight = 0.2
  /// The same for checkpoints: less, because a mean that follows each slow one makes all that are
  /// remembered look slow.
  public var checkpointMeanWeight = 0.05
  /// Chunks that are expected to be shorter than this are no samples of the estimate: they say more
  /// of what a chunk takes beside its work.
  public var leastChunkSample: Duration = .milliseconds(5)
  /// No chunk is asked for that is expected to take less, if the work allows a longer one: what a
  /// chunk takes beside its work would be most of its time.
  public var leastChunk: Duration = .milliseconds(1)
  /// While more than this share of a stint's time is left, a chunk that does not seem to fit is run
  /// all the same if fewer than ``samplesBeforeRefusal`` chunks were measured, or if the fastest of
  /// them says that it fits.
  public var doubtedShare = 0.5
  /// Bytes a second at which a checkpoint is expected to be written before one has been measured.
  public var expectedBytesPerSecond = 200e6
  /// What a checkpoint costs beside its bytes, expressed in bytes.
  ///
  /// Large, because waiting for a disk takes its time for a small file too: a slow small checkpoint
  /// must not make a large one look hopeless.
  public var checkpointBaseBytes = 4_194_304.0
  /// Of work that a budget does not hold as a whole, an operation takes at most this share of the
  /// budget; else it is done in pieces.
  package var operationShare = 0.4
  /// Where a chunk and its checkpoint do not surely fit, a chunk is begun only if it is expected to
  /// save this share more than a checkpoint now would, and at least this share of its own time.
  public var worthwhileGain = 0.01
  /// A chunk or checkpoint that takes longer than every measured one is assumed to take this many
  /// times the longest of them.
  public var beyondFactor = 1.25
  /// A worker gives a notice if a chunk takes this share of a budget and the same share of the
  /// budget became no saved work (W12).
  public var largeChunkShare = 0.25
  /// A stint that used more than this share of its lead is a near miss (W12).
  public var nearMissShare = 0.9
  /// So many stints in a row without a new durable checkpoint end the job with an error (W13).
  public var stintsWithoutProgress = 3
  /// So many checkpoints in a row may fail before the worker gives up (C4).
  public var failedCheckpoints = 3
  /// The work is refused beforehand if a chunk's least time is longer than this factor times the
  /// whole budget (W2).
  ///
  /// The factor leaves room for the error of the cost model between small and large chunks.
  public var refusalFactor = 1.25
  /// So many chunks are measured before work is refused for its hardest chunk.
  public var samplesBeforeRefusal = 3
  /// So many stints in a row must come to that, each by its own measurements, before work is
  /// refused: one may have been slow for a while.
  public var stintsBeforeRefusal = 2
  /// Whether the end of a stint waits, as long as the deadline allows, for a chunk that was given
  /// up.
  ///
  /// A process that exits then need not.
  public var waitsForGivenUpChunk = true

  /// Creates the default policy.
  public init() {}

  /// The same policy where handlers are called so long before the deadline.
  ///
  /// On a loaded machine a thread may be woken tens of milliseconds late, and a stint that ends
  /// late is killed: so much is kept free where the lead has room for it. What is used by plan is
  /// no near miss (W12); half of what was kept free is.
  ///
  /// - Parameter lead: How long before the deadline the handlers are called.
  /// - Returns: The policy of a worker there.
  public func fitted(to lead: Duration) -> WorkPolicy {
    guard lead > .zero else { return self }
    var policy = self
    policy.closing = max(closing, min(.milliseconds(50), lead * 2 / 5))
    policy.nearMissShare = max(
      nearMissShare, 1 - policy.closing.inSeconds / (2 * lead.inSeconds))
    return policy
  }
}
