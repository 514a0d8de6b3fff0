import CStint
import Foundation
import Glibc
import Stint
import StintCore

/// Whether this machine can be measured on at the moment.
struct MachineState: Encodable {
  /// Two threads must do this many times the work of one, or somebody else is using the machine.
  static let leastSpeedup = 1.8
  /// More than this share of one processor used by others, while we rest, is too much.
  static let mostOthers = 0.15

  /// How many processors this process may use.
  let processors: Int
  /// The work of two threads over that of one, in the same time.
  let twoThreadSpeedup: Double
  /// What others used while this process rested, in percent of one processor.
  let othersPercent: Double
  /// The load average over the last minute; it lags, so it is told and not judged.
  let loadAverage: Double
  /// Steps of the calibration loop in a second.
  let iterationsPerSecond: Double

  /// Rests, then computes with one and with two threads.
  static func sample(quick: Bool) throws -> MachineState {
    let processors = max(1, Int(stint_processor_count()))
    let others = restingShare(.milliseconds(quick ? 50 : 200)) * Double(processors)
    let perSecond = SpinKernel.iterationsPerSecond()
    let iterations = Int(perSecond * (quick ? 0.01 : 0.05))
    let times = Interleaving.run([1, 2], rounds: quick ? 2 : 7) {
      time(threads: $0, iterations: iterations)
    }
    let one = Sample(times[1] ?? [1]).minimum
    // The median: the one good moment of a busy machine proves nothing.
    let two = Sample(times[2] ?? [1]).median
    return MachineState(
      processors: processors, twoThreadSpeedup: 2 * one / two, othersPercent: others * 100,
      loadAverage: ProcessorTimes.loadAverage(), iterationsPerSecond: perSecond)
  }

  /// Why nothing can be judged now, as the first half of a sentence; nil if the machine is quiet.
  var busyReason: String? {
    if othersPercent > Self.mostOthers * 100 {
      return String(
        format: "Others use %.0f %% of a processor (at most %.0f %% is quiet)", othersPercent,
        Self.mostOthers * 100)
    }
    if twoThreadSpeedup < Self.leastSpeedup {
      return String(
        format: "Two threads do only %.2f times the work of one (%.1f is needed)",
        twoThreadSpeedup, Self.leastSpeedup)
    }
    return nil
  }

  var description: String {
    String(
      format: "%d processors; two threads do %.2f times the work of one; others use %.0f %% "
        + "of a processor; load average %.2f.",
      processors, twoThreadSpeedup, othersPercent, loadAverage)
  }

  private static func restingShare(_ duration: Duration) -> Double {
    guard let before = ProcessorTimes.now() else { return 0 }
    Pause.until(BootClock.now.advanced(by: duration))
    guard let after = ProcessorTimes.now() else { return 0 }
    return after.busyShare(since: before)
  }

  private static func time(threads: Int, iterations: Int) -> Double {
    let gate = Rendezvous(parties: threads)
    let workers = (0..<threads).map { SerialThread(name: "bench-spin-\($0)") }
    for worker in workers {
      worker.enqueue { gate.meet { Sink.take(SpinKernel.run(iterations, from: 1)) } }
    }
    return gate.wait().inSeconds
  }
}
