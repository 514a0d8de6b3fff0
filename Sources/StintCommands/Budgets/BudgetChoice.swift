import StintCore
package import StintRuntime

/// A source of a budget on a command line: its options, and what becomes of them.
///
/// A new source is one file with a constant of this type, and its name in ``all``. The scanners,
/// help, refusals and batches follow from that.
package struct BudgetChoice: Sendable {
  /// What the words of a command line make of a source.
  package enum Chosen: Sendable {
    /// It never changes its mind, and is named as its option is.
    case steady(any BudgetSource)
    /// It has to be asked: this makes it, and so begins to ask.
    case asked(
      @Sendable (_ lead: Duration, _ complain: @escaping @Sendable (String) -> Void)
        throws(StintError) -> any BudgetSource)
  }

  /// The options that ask for it; none for a source that the surroundings give.
  var options: [OptionSpecification] = []
  /// The flag that leaves it out, of a source that the surroundings give.
  var without: OptionSpecification?
  /// Whether there may be time again after its end, so that `--until-done` makes sense.
  var comesAgain = true
  /// Reads the options; nil if the source is not chosen.
  let read: @Sendable (ParsedOptions, Surroundings) throws -> Chosen?

  /// All sources of the command line; here a source is added.
  static let all: [BudgetChoice] = [.fixed, .until, .deadlineFile, .engine]
}

extension [BudgetChoice] {
  /// The options by which a user sets an end.
  var asking: [OptionSpecification] { flatMap(\.options) }

  /// All options of these sources.
  var options: [OptionSpecification] { flatMap { $0.options + ($0.without.map { [$0] } ?? []) } }

  /// What a user may add where an end is missing, as the end of a sentence.
  var advice: String {
    let names = asking.map(\.spelling)
    return "add " + names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

extension OptionTable {
  /// All that is about time, for verbs that run something.
  static let ofTime =
    BudgetChoice.all.options + [lead, stopGrace, tick, untilDone, rest, waitLock]
}
