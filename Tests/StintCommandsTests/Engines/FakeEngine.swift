import Glibc
import StintCore
import StintRuntime

@testable import StintCommands

/// An engine whose queue is in memory, and which does what a test says.
final class FakeEngine: Engine, Sendable {
  struct State {
    /// The arrays that it has, with the folder of the chain of each.
    var queue: [String: EngineStanding] = [:]
    var folders: [String: String] = [:]
    /// The commands that it took.
    var taken: [[String]] = []
    /// What the next submissions are refused with; after that all are taken.
    var refusals: [StintError] = []
    /// Whether it takes what it refuses because it is late.
    var takesLate = false
    /// How jobs ended, by their names.
    var ends: [String: SliceEnd] = [:]
    /// Why arrays are held.
    var held: [String: String] = [:]
    var number = 6
  }

  let state = Protected(State())
  /// It stands in for Slurm in records.
  let name = EngineJob.slurm
  let title = "The engine"
  let slice: EngineSlice? = nil
  let variablesOfSlice: [String: String] = [:]
  let allocation: EngineAllocation? = nil

  /// Refusals: one that may pass, one that asks for less, one that would come again, and one after
  /// which nobody knows anything.
  static let busy = StintError(.unavailable, "it is busy")
  static let limit = StintError(.unavailable, "it has enough of you")
  static let never = StintError(.unavailable, "it has no such place")
  static let late = StintError(.unavailable, "it gave no answer", errno: ETIMEDOUT)

  var taken: [[String]] { state.withLock { $0.taken } }
  var queue: [String] { state.withLock { $0.queue.keys.sorted() } }
  func held(_ array: String) -> String? { state.withLock { $0.held[array] } }

  func check(links: Int) throws(StintError) {
    if links > 100 { throw StintError(.usage, "it takes no more than 100 slices") }
  }

  func adviceOnCancelling(_ arrays: [String]) -> String { "nothing removes them" }

  func script(of chain: ChainHandOver) -> String? { chain.link.joined(separator: " ") + "\n" }

  func dryRun(of chain: ChainHandOver) -> String { script(of: chain) ?? "" }

  func log(of array: String?, in chain: String) -> String { "\(chain)/\(ChainJob.log)" }

  func submit(_ chain: ChainHandOver) throws(StintError) -> String {
    try submit(["chain", chain.path], for: chain.path)
  }

  func submit(
    follower words: [String], from folder: String, markedAs mark: String
  ) throws(StintError) -> String {
    try submit(["follower"] + words, for: nil)
  }

  private func submit(_ command: [String], for folder: String?) throws(StintError) -> String {
    let (number, refusal): (String, StintError?) = state.withLock { state in
      let refusal = state.refusals.isEmpty ? nil : state.refusals.removeFirst()
      if refusal == nil || state.takesLate {
        state.number += 1
        state.taken.append(command)
        state.queue["\(state.number)"] = EngineStanding(reason: "Resources")
        state.folders["\(state.number)"] = folder
      }
      return ("\(state.number)", refusal)
    }
    if let refusal { throw refusal }
    return number
  }

  func refusal(_ error: StintError) -> EngineRefusal {
    if error.message.hasSuffix(Self.limit.message) { return .ofLimits }
    return error.message.hasSuffix(Self.never.message) ? .permanent : .passing
  }

  func standing(
    of array: String, within patience: Duration
  ) -> Result<EngineStanding, EngineFailure> {
    .success(state.withLock { $0.queue[array] } ?? EngineStanding())
  }

  func standings(within patience: Duration) -> Result<[String: EngineStanding], EngineFailure> {
    .success(state.withLock { $0.queue })
  }

  func array(ofChainIn folder: String) -> Result<String?, EngineFailure> {
    .success(state.withLock { state in state.folders.first { $1 == folder }?.key })
  }

  func cancelPending(_ arrays: [String]) -> String? {
    state.withLock { state in for array in arrays { state.queue[array] = nil } }
    return nil
  }

  func cancel(_ array: String, after task: Int, of count: Int) {}

  func hold(_ array: String, because why: String) -> String? {
    state.withLock { state in
      state.held[array] = why
      state.queue[array]?.isHeld = true
      state.queue[array]?.comment = why
    }
    return nil
  }

  func release(_ array: String) -> String? {
    state.withLock { state in
      state.held[array] = nil
      state.queue[array]?.isHeld = false
    }
    return nil
  }

  func end(of job: String) -> SliceEnd? { state.withLock { $0.ends[job] } }

  func failures(of array: String) -> [EngineTask] { [] }

  func findings(jobsPath: String, nodes: Int?, stopGrace: Duration) -> [Finding] { [] }
}

/// The process of a slice in which nothing runs and no time passes.
final class FakeLife: LinkLife, Sendable {
  /// The process was killed: it says nothing any more.
  struct Killed: Error {}

  /// How the work ends; nil kills the slice.
  let end: CommandEnd?
  /// Whether the folder of the work can be entered.
  let entering: Int32
  let rests = Protected(0)
  let isTold = false

  init(_ end: CommandEnd?, entering: Int32 = 0) { (self.end, self.entering) = (end, entering) }

  func enter(_ directory: String) -> Int32 { entering }

  func run(_ launch: LaunchRecord, in chain: ChainJob, jobsPath: String) throws -> CommandEnd {
    guard let end else { throw Killed() }
    return end
  }

  func rest(_ duration: Duration) { rests.withLock { $0 += 1 } }
}
