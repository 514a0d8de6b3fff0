/// What a computation will need, as the command line shows and checks it before the work.
package protocol RunEstimate: Sendable {
  /// What is computed, one line each for `--dry-run`; empty where the command line says it all.
  var subject: [RunEstimateLine] { get }
  /// The number of decimal digits of the result; nil if it is no number.
  var digits: Int? { get }
  /// The length of the result in bytes, exact or about right.
  var outputBytes: Int { get }
  /// The largest checkpoint, in bytes.
  var checkpointBytes: Int { get }
  /// The peak of memory, in bytes.
  var memoryBytes: Int { get }
  /// The peak of disk space, in bytes.
  var diskBytes: Int { get }
  /// The cost of the whole work, about a nanosecond a unit.
  var cost: Double { get }
  /// The cost of the hardest step that cannot be split.
  var hardestCost: Double { get }

  /// Refuses what cannot fit into the bytes of memory that the process may use and the free bytes
  /// where the job and its output go; nil is not known.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`, with the figures.
  func checkFits(memoryAvailable: Int?, diskAvailable: Int?) throws
}

/// One line about what is computed.
package struct RunEstimateLine: Hashable, Sendable {
  /// The name in JSON, such as `sourceBytes`.
  package var key: String
  /// The name before the text, at most eleven letters.
  package var label: String
  package var text: String

  package init(key: String, label: String, text: String) {
    self.key = key
    self.label = label
    self.text = text
  }
}

extension RunEstimate {
  /// Nothing beside what the command line says.
  package var subject: [RunEstimateLine] { [] }
  /// No number.
  package var digits: Int? { nil }
}
