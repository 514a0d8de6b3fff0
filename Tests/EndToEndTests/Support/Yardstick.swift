import Foundation
import Glibc
import Testing

/// The results of uninterrupted runs, each computed once.
actor Yardstick {
  static let shared = Yardstick()
  private var results: [Int: Data] = [:]
  private static let lengths = [10_000_000: 2_089_877, 100_000_000: 20_898_764]

  /// By how much a number must grow to take as long here as on the slowest known machine.
  static var factor: Int { long / 50_000_000 }

  /// A number that takes several budgets of half a second, however fast the machine is.
  ///
  /// Measured in processor time, because a machine that is busy now may have time later.
  static let long: Int = {
    var n = 50_000_000
    while n < 1_600_000_000, let scratch = try? Scratch(),
      let run = try? scratch.start(["run", "fibonacci", "\(n)", "--output", "f"])
    {
      while !run.hasEnded { usleep(2_000) }
      guard let used = run.finished?.processorTime, used < .milliseconds(1_600) else { break }
      n *= 2
    }
    return n
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
