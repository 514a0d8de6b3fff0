import Glibc
import StintCore
import StintRuntime

@testable import StintCommands

/// An engine whose queue is in memory, and which does what a test says.
final class FakeEngine: Engine, Sendable {
  struct State {
    /// The arrays that it has, with the script of each.
    var queue: [String: EngineStanding] = [:]
    var scripts: [String: String] = [:]
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
  let name = "fake"
  let title = "The engine"
  let slice: EngineSlice? = nil
  let variablesOfSlice: [String: String] = [:]
  let allocation: AllocationQuestion? = nil

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

  func script(of chain: ChainHandOver) -> String { chain.link.joined(separator: " ") + "\n" }

  func command(for chain: ChainHandOver) -> [String] { ["chain", "\(chain.path)/chain.sh"] }

  func command(forFollower words: [String]) -> [String] { ["follower"] + words }

  func submit(_ command: [String]) throws(StintError) -> String {
    let (number, refusal): (String, StintError?) = state.withLock { state in
      let refusal = state.refusals.isEmpty ? nil : state.refusals.removeFirst()
      if refusal == nil || state.takesLate {
        state.number += 1
        state.taken.append(command)
        state.queue["\(state.number)"] = EngineStanding(reason: "Resources")
        state.scripts["\(state.number)"] = command.last
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

  func array(running script: String) -> Result<String?, EngineFailure> {
    .success(state.withLock { state in state.scripts.first { $1 == script }?.key })
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
