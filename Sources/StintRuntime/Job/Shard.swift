import StintCore

/// One part of work that is cut into several: a list of items goes to the parts in turn.
///
/// Each part is a job of its own. Its parameters hold the number of the part, how many parts there
/// are, and the key that the uncut work would have: by that the parts find each other.
package struct Shard: Hashable, Sendable {
  /// The most parts of one whole.
  package static let most = 4096

  /// Which part, from 1.
  package let number: Int
  /// How many parts there are.
  package let count: Int

  /// Makes a part; nil unless the number is one of `1...count`.
  package init?(_ number: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else { return nil }
    (self.number, self.count) = (number, count)
  }

  /// Reads `K/N`.
  package init?(text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
    }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1] else { return nil }
    self.init(number, of: count)
  }

  /// The items of this part, in their order.
  package func part<Item>(of whole: [Item]) -> [Item] {
    stride(from: number - 1, to: whole.count, by: count).map { whole[$0] }
  }

  /// How many items of so many are of this part.
  package func size(of whole: Int) -> Int { (whole + count - number) / count }

  /// As one writes it: `K/N`.
  package var text: String { "\(number)/\(count)" }
}

extension Shard: CustomStringConvertible {
  /// For people: `shard 2 of 3`.
  package var description: String { "shard \(number) of \(count)" }
}

extension Shard {
  /// The parameters that a job has if it is a part of a whole.
  package enum Parameter {
    /// Which part.
    package static let number = "shard"
    /// How many parts.
    package static let count = "shards"
    /// The key of the uncut work.
    package static let whole = "whole"
  }

  /// Reads the parameters of a job; nil if it is no part.
  package init?(_ parameters: [String: String]) {
    guard let number = parameters[Parameter.number], let count = parameters[Parameter.count],
      parameters[Parameter.whole].map(JobKey.isKey) ?? false
    else { return nil }
    self.init(text: "\(number)/\(count)")
  }

  /// The parameters of this part of a whole, whose key is that of the uncut work.
  package func parameters(_ parameters: JobParameters, of whole: String) -> JobParameters {
    JobParameters(
      parameters.values.merging([
        Parameter.number: String(number), Parameter.count: String(count), Parameter.whole: whole,
      ]) { $1 })
  }
}

extension JobRecord {
  /// Which part of a whole the job does; nil if it does all of its work.
  package var shard: Shard? { Shard(parameters) }

  /// The key of the uncut work, which is the job's own if it is not cut.
  package var whole: String {
    shard == nil ? key.description : parameters[Shard.Parameter.whole] ?? key.description
  }
}

extension JobCatalog {
  /// The jobs of a kind, as far as they can be read.
  package func records(ofKind kind: String) -> [JobRecord] {
    ((try? keys()) ?? []).filter { $0.hasPrefix(kind + "-") }
      .compactMap { (try? record(of: $0)) ?? nil }.filter { $0.kind == kind }
  }
}
