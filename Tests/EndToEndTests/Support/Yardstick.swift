import Foundation
import Glibc
import Testing

/// The results of uninterrupted runs, each computed once.
actor Yardstick {
  static let shared = Yardstick()
  private var results: [Int: Data] = [:]
  private static let lengths = [10_000_000: 2_089_877, 100_000_000: 20_898_764]

  /// A number that takes two seconds and more on one thread here, however fast the machine is.
  static var long: Int { 50_000_000 * factor }

  /// By how much a number must grow to take as long here as on the slowest known machine.
  ///
  /// Measured in processor time, because a machine that is busy now may have time later, on one
  /// thread, and as the least of several: two threads that share a core, or a test beside this one,
  /// make the same work cost up to 1.6 times as much.
  static let factor: Int = {
    var least = Duration.seconds(3600)
    for _ in 0..<5 {
      guard let scratch = try? Scratch(),
        let run = try? scratch.start([
          "run", "fibonacci", "50000000", "--threads", "1", "--output", "f",
        ])
      else { break }
      while !run.hasEnded { usleep(2_000) }
      guard let ended = run.finished, ended.end == .exited(0) else { break }
      least = min(least, ended.processorTime)
    }
    let factor = min(32, max(1, Int((.seconds(2.2) / least).rounded(.up))))
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
