/// Runs several things in turn, A B C A B C, so that whatever changes on the machine changes for
/// all of them.
enum Interleaving {
  /// Measures each subject in every round, and returns what was measured of each, by round.
  ///
  /// Every second round goes backwards, so that none always follows the same. What gives nil in a
  /// round has no measurement of it.
  static func run<Subject: Hashable, Value>(
    _ subjects: [Subject], rounds: Int, _ measure: (Subject) throws -> Value?
  ) rethrows -> [Subject: [Value]] {
    var results: [Subject: [Value]] = [:]
    for round in 0..<rounds {
      for subject in round % 2 == 0 ? subjects : subjects.reversed() {
        if let value = try measure(subject) { results[subject, default: []].append(value) }
      }
    }
    return results
  }
}
