import Foundation
import Testing

/// The results of uninterrupted runs, each computed once.
actor Yardstick {
  static let shared = Yardstick()
  private var results: [Int: Data] = [:]
  private static let lengths = [10_000_000: 2_089_877, 100_000_000: 20_898_764]

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
