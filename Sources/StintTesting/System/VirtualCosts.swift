import Glibc
import StintCore

/// What a worker's lane does, for which a virtual one asks how long it takes.
public enum VirtualWork: Hashable, Sendable {
  /// Reading the newest checkpoint, or making the first state.
  case load
  /// A chunk of at most this cost, in the computation's units.
  case chunk(cost: Double)
  /// A checkpoint of about that many bytes, from its encoding until it is durable.
  case save(bytes: Int)
  /// Putting the result where it belongs.
  case deliver
}

/// How long a worker's work takes in virtual time; a seed decides the variation.
///
/// ```swift
/// var costs = VirtualCosts(seed: 7)
/// costs.secondsPerUnit = 0.001
/// costs.custom = { work, _ in
///   if case .save = work { .seconds(3) } else { nil }  // a slow disk
/// }
/// ```
public struct VirtualCosts: Sendable {
  /// How long loading takes.
  public var load: Duration = .milliseconds(1)
  /// How long a unit of a chunk's cost takes, in seconds.
  public var secondsPerUnit = 1e-6
  /// What each chunk takes beside its units.
  public var chunkOverhead: Duration = .microseconds(20)
  /// What each checkpoint takes beside its bytes.
  public var saveOverhead: Duration = .milliseconds(8)
  /// How many bytes of a checkpoint are written in a second.
  public var bytesPerSecond = 200e6
  /// How long it takes to put the result where it belongs.
  public var deliver: Duration = .milliseconds(10)
  /// How long a thread computes, on average, until another process takes its processor; nil if none
  /// does.
  public var descheduledEvery: Duration?
  /// How long a thread then waits for a processor, on average.
  ///
  /// A long chunk is interrupted often, for a small part of its time; a short one seldom, but then
  /// for many times its own length.
  public var descheduledFor: Duration = .milliseconds(6)
  /// How long a chunk goes on after its stop flag was raised; nil for one that never looks at it.
  public var giveUp: Duration? = .milliseconds(1)
  /// Each time is multiplied by a number between one minus and one plus this share.
  public var spread = 0.1
  /// How likely it is that something takes much longer.
  public var outlierProbability = 0.0
  /// How much longer it takes then.
  public var outlierFactor = 4.0
  /// Decides in place of all these numbers; nil leaves the decision to them.
  public var custom: (@Sendable (VirtualWork, inout SeededGenerator) -> Duration?)?
  /// Decides the variation.
  public var seed: UInt64

  /// Creates costs of an ordinary machine.
  ///
  /// - Parameter seed: Decides the variation.
  public init(seed: UInt64 = 0) {
    self.seed = seed
  }

  /// How long this piece of work takes.
  func time(of work: VirtualWork, _ generator: inout SeededGenerator) -> Duration {
    if let time = custom?(work, &generator) { return max(.zero, time) }
    let variation = 1 + spread * (2 * Double.random(in: 0..<1, using: &generator) - 1)
    let outlier = generator.chance(outlierProbability) ? outlierFactor : 1
    let plain =
      switch work {
      case .load: load
      case .chunk(let cost): chunkOverhead + Duration(clampingSeconds: cost * secondsPerUnit)
      case .save(let bytes):
        saveOverhead + Duration(clampingSeconds: Double(bytes) / bytesPerSecond)
      case .deliver: deliver
      }
    let seconds = max(0, plain.inSeconds * variation * outlier)
    guard case .chunk = work else { return Duration(clampingSeconds: seconds) }
    return Duration(clampingSeconds: seconds + waiting(inSeconds: seconds, &generator))
  }

  /// How long a thread waits for a processor while it computes for so many seconds.
  private func waiting(inSeconds seconds: Double, _ generator: inout SeededGenerator) -> Double {
    guard let every = descheduledEvery?.inSeconds, every > 0 else { return 0 }
    func exponential(_ mean: Double) -> Double {
      -mean * log(1 - Double.random(in: 0..<1, using: &generator))
    }
    var (waiting, next) = (0.0, exponential(every))
    while next < seconds {
      waiting += exponential(descheduledFor.inSeconds)
      next += exponential(every)
    }
    return waiting
  }
}
