/// Runs several things in turn, A B C A B C, so that whatever changes on the machine changes for
/// all of them.
enum Interleaving {
  /// Measures each subject in every round; every second round goes backwards, so that none always
  /// follows the same.
  ///
  /// - Parameters:
  ///   - subjects: What is measured.
  ///   - rounds: How often.
  ///   - measure: Measures one subject once.
  /// - Returns: For each subject its measurements, by round.
  /// - Throws: What a measurement threw.
  static func run<Subject: Hashable, Value>(
    _ subjects: [Subject], rounds: Int, _ measure: (Subject) throws -> Value
  ) rethrows -> [Subject: [Value]] {
    var results: [Subject: [Value]] = [:]
    for round in 0..<rounds {
      for subject in round % 2 == 0 ? subjects : subjects.reversed() {
        results[subject, default: []].append(try measure(subject))
      }
    }
    return results
  }
}
