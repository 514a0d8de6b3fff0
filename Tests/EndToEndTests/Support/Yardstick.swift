import Foundation
import Glibc
import Testing

/// The results of uninterrupted runs, each computed once.
actor Yardstick {
  static let shared = Yardstick()
  private var results: [Int: Data] = [:]
  private static let lengths = [10_000_000: 2_089_877, 100_000_000: 20_898_764]

  /// A number that takes 1.8 to 3 seconds on one thread here.
  ///
  /// A budget of two seconds with a lead of one cuts it, and holds each of its chunks.
  static var long: Int { 50_000_000 * factor }

  /// By how much a number must grow to take as long here as on the slowest known machine.
  ///
  /// Measured in processor time, because a machine that is busy now may have time later. The least
  /// of five runs on one thread counts: a second thread on the same core, or another test, makes
  /// the same work cost up to 1.6 times as much.
  static let factor: Int = {
    let run = ["run", "fibonacci", "50000000", "--threads", "1", "--output", "f"]
    let times = (0..<5).map { _ in
      guard let scratch = try? Scratch(), let process = try? scratch.start(run) else {
        fatalError("the yardstick's program cannot be started")
      }
      while !process.hasEnded { usleep(2_000) }
      guard let ended = process.finished, ended.end == .exited(0) else {
        fatalError("the yardstick's program failed: \(process.errorsSoFar)")
      }
      return ended.processorTime
    }
    let least = times.min() ?? .zero
    let factor = min(32, max(1, Int((.seconds(1.75) / least).rounded(.up))))
    print("F(50,000,000) takes \(least) here: numbers grow by \(factor)")
    return factor
  }()

  /// F(n) in decimal with its newline.
  func bytes(of n: Int) async throws -> Data {
    if let known = results[n] { return known }
    let scratch = try Scratch()
    let run = try await scratch.stint("run", "fibonacci", "\(n)", "--output", "f")
    #expect(run.end == .exited(0), "\(run.errors)")
    let bytes = try scratch.bytes("f")
    if let digits = Self.lengths[n] { #expect(bytes.count == digits + 1) }
    results[n] = bytes
    return bytes
  }
}
