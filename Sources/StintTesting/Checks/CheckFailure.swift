/// What a check found: the seed that decides everything, and the shortest history that still fails.
public struct CheckFailure: Error, Hashable, Sendable {
  /// What is wrong, in a sentence.
  public let finding: String
  /// The seed with which it comes again; nil where nothing is left to chance.
  public let seed: UInt64?
  /// The steps that lead to it; no single one of them can be left out.
  public let steps: [String]
  /// What happened in the last processes, a line each with its time.
  public let history: String

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - finding: What is wrong, in a sentence.
  ///   - seed: The seed with which it comes again, if there is one.
  ///   - steps: The steps that lead to it.
  ///   - history: What happened.
  public init(_ finding: String, seed: UInt64?, steps: [String] = [], history: String = "") {
    self.finding = finding
    self.seed = seed
    self.steps = steps
    self.history = history
  }

  /// So many lines at the end of a history are printed.
  private static let printedLines = 40
}

extension CheckFailure {
  /// Runs a check, and makes a failure of an error that the computation throws in it.
  static func catching(seed: UInt64?, _ check: () throws -> Void) throws {
    do {
      try check()
    } catch let failure as CheckFailure {
      throw failure
    } catch {
      throw CheckFailure("The computation fails: \(error)", seed: seed)
    }
  }
}

extension CheckFailure: CustomStringConvertible {
  /// The finding, the seed, the steps and the end of the history.
  public var description: String {
    var text = finding
    if let seed { text += "\nseed: \(seed)" }
    for (number, step) in steps.enumerated() { text += "\n  step \(number + 1): \(step)" }
    let lines = history.split(separator: "\n")
    if lines.count > Self.printedLines { text += "\n  ..." }
    for line in lines.suffix(Self.printedLines) { text += "\n  \(line)" }
    return text
  }
}
