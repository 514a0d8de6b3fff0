public import StintCore

/// Long work that can be cut at chunk boundaries.
///
/// A state is an immutable value: running a chunk makes a new one and leaves the old one as it was
/// (W14), so that an expiry can save the old one at any time, on another thread, while the chunk
/// still runs. The law that every computation keeps (W8): for every schedule of cuts, the result
/// equals the uninterrupted one bit for bit.
///
/// All functions but ``encode(_:into:)``, ``outlook(of:)`` and ``memoryIsShort()`` are called on
/// the worker's own thread. Those three may be called on another thread at the same time as
/// ``run(from:atMost:in:)``.
public protocol ChunkedComputation: Sendable {
  /// The state between two chunks.
  associatedtype State: Sendable

  /// The kind of the computation: 1 to 16 ASCII letters, digits or hyphens. Part of the job's key.
  static var kind: String { get }

  /// The version of the state's encoding. A checkpoint with another version is refused (C5).
  static var stateVersion: UInt32 { get }

  /// What decides the result, in canonical form. Never budgets, ticks or thread counts.
  var parameters: JobParameters { get }

  /// Makes the state before the first chunk.
  func start(in workspace: any Workspace) throws -> State

  /// Says how far a state is and what the next chunk can cost. Called often; must be cheap.
  func outlook(of state: State) -> Outlook

  /// Runs a chunk.
  ///
  /// It runs on a thread that blocks the signals that the main thread blocks, so that a child which
  /// it starts can be told to end.
  ///
  /// - Parameters:
  ///   - state: The state to start from; it must not change.
  ///   - cost: The cost not to exceed, within the range of the state's outlook.
  ///   - context: The stop flag and the workspace.
  /// - Returns: The new state and what it cost in the same units, or nil if the stop flag was seen
  ///   and nothing is to be kept.
  /// - Throws: Whatever makes the work impossible; it ends the worker, after what is complete was
  ///   saved. So does a cost that is no number above zero or is more than was asked for, and
  ///   progress that falls.
  func run(from state: State, atMost cost: Double, in context: ChunkContext) throws -> Chunk<State>?

  /// Appends the state's encoding to a payload. Large buffers are lent, not copied.
  func encode(_ state: State, into payload: inout CheckpointPayload) throws

  /// Makes a state from a payload, and checks it as far as it can be checked.
  ///
  /// - Parameters:
  ///   - payload: The bytes that ``encode(_:into:)`` gave. Their checksum has been verified, but no
  ///     size in them is to be trusted.
  ///   - workspace: Where earlier chunks left their partial output.
  /// - Returns: The state.
  /// - Throws: ``StintError`` with the code `damaged` if the bytes are not a state of this
  ///   computation.
  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State

  /// Says which parts of partial files a state counts on.
  ///
  /// The checkpoint of the state then holds checksums of them. The last piece of each part is read
  /// back when the work goes on in another process, and all pieces before ``finish(_:in:)``, in
  /// chunks under the budget. Bytes that have changed meanwhile end the work with the code
  /// `damaged`, or an earlier checkpoint is used; `stint verify` finds them too.
  ///
  /// A part that any state has counted on is read back, unless its file was removed or cut since.
  /// Write each part in order, from its start to its end: what comes in another order is read once
  /// more after the chunk. By default there are no such parts.
  ///
  /// It is called after each chunk, and must be cheap.
  func partialOutput(of state: State) -> [PartialOutput]

  /// Puts the result where it belongs once the outlook says that nothing is left. What it wrote
  /// must be durable when it returns (W9). It may be called again after a kill.
  func finish(_ state: State, in workspace: any Workspace) throws

  /// Drops what can be made again, such as a cache: memory is short.
  ///
  /// It is called at most once in ten seconds (L10), and the worker then gives what is free back to
  /// the kernel. By default there is nothing to drop.
  func memoryIsShort()
}

extension ChunkedComputation {
  /// No parts.
  public func partialOutput(of state: State) -> [PartialOutput] { [] }

  /// Does nothing.
  public func memoryIsShort() {}
}

/// A computation that can do something else after a stint without progress.
package protocol DivertibleComputation<State>: ChunkedComputation {
  /// Hears that a stint ended for lack of time without anything new that is durable (W13).
  ///
  /// For computations that can do something else instead: one of many pieces of work that are
  /// independent of each other can be put aside, so that it does not block the others. The worker
  /// ends the job after a few such stints in a row.
  ///
  /// Any thread, maybe while a chunk that was given up still runs.
  ///
  /// - Parameters:
  ///   - state: The newest complete state.
  ///   - workspace: Where partial output goes.
  func stintWasFruitless(at state: State, in workspace: any Workspace)
}

/// What a chunk made.
public struct Chunk<State: Sendable>: Sendable {
  /// The state after the chunk.
  public var state: State
  /// What the chunk cost, in the computation's units.
  public var cost: Double
  /// Whether nothing was done but to see how fast this machine is.
  ///
  /// The state then stands for the same work as the one before, only its outlook may differ. A
  /// computation whose smallest piece is costly, or makes what follows more costly, offers such a
  /// trial as the smallest chunk after a restart, when no speed is known yet.
  package var isTrial: Bool

  /// Creates a chunk's result.
  public init(state: State, cost: Double) {
    self.init(state: state, cost: cost, isTrial: false)
  }

  /// Creates the result of a chunk that may be a trial.
  package init(state: State, cost: Double, isTrial: Bool) {
    self.state = state
    self.cost = cost
    self.isTrial = isTrial
  }

  /// Makes sure that what the chunk and its outlooks say can be true.
  ///
  /// - Parameters:
  ///   - most: What the chunk was to cost at most. A trial costs what it costs, and its state
  ///     stands for the same work.
  ///   - before: The outlook of the state that the chunk started from.
  ///   - after: The outlook of the chunk's own state.
  /// - Throws: ``StintError`` with the code `checkFailed`.
  package func check(
    atMost most: Double, from before: Outlook, to after: Outlook
  ) throws(StintError) {
    if isTrial { return try after.check() }
    try after.check(after: cost, atMost: most, from: before)
  }
}

/// What a running chunk may use.
public struct ChunkContext: Sendable {
  /// Raised when the chunk should give up; poll it where the chunk loops.
  public let stopFlag: StopFlag
  /// Where partial output goes.
  public let workspace: any Workspace
  /// How many threads the chunk may use.
  public let threads: Int
  private let onKeptProgress: @Sendable () -> Void

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - stopFlag: Raised when the chunk should give up.
  ///   - workspace: Where partial output goes.
  ///   - threads: How many threads the chunk may use.
  public init(stopFlag: StopFlag, workspace: any Workspace, threads: Int = 1) {
    self.init(stopFlag: stopFlag, workspace: workspace, threads: threads) {}
  }

  /// Creates a context that passes on what ``progressIsKept()`` says.
  package init(
    stopFlag: StopFlag, workspace: any Workspace, threads: Int = 1,
    onKeptProgress: @escaping @Sendable () -> Void
  ) {
    self.stopFlag = stopFlag
    self.workspace = workspace
    self.threads = threads
    self.onKeptProgress = onKeptProgress
  }

  /// Says that a part of the result is durable and will not be made again, even if no checkpoint
  /// follows.
  ///
  /// For computations that keep an account of their own, such as one of many files each of which
  /// stands under its final name as soon as it is complete: a stint that is killed after such a
  /// step has progressed all the same (W13). Call it after the part is durable, from the chunk's
  /// thread.
  package func progressIsKept() { onKeptProgress() }
}
