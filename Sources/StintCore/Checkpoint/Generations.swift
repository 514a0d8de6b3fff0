/// Which files of a checkpoint folder are generations, in which order they are tried, and which may
/// go.
///
/// Names: `000041.ckpt` is generation 41, `000041.ckpt.tmp` is one that was being written,
/// `000041.ckpt.bad` (then `.bad2`, `.bad3` ...) is one that was set aside. Anything else is not
/// ours and is never touched.
package struct Generations: Hashable, Sendable {
  /// The generations that are there, newest first: the order in which they are tried.
  package private(set) var newestFirst: [UInt64] = []
  /// Files that were being written when a process ended.
  package private(set) var temporaries: [String] = []
  /// Files that were set aside.
  package private(set) var setAside: [String] = []
  /// The highest number that any of the files bears, or 0.
  package private(set) var highest: UInt64 = 0

  /// Sorts a listing of file names.
  package init(listing: some Sequence<String>) {
    for name in listing {
      guard let (sequence, suffix) = Self.parse(name) else { continue }
      if suffix == "" {
        newestFirst.append(sequence)
      } else if suffix == ".tmp" {
        temporaries.append(name)
      } else {
        setAside.append(name)
      }
      highest = max(highest, sequence)
    }
    newestFirst.sort(by: >)
    temporaries.sort()
    setAside.sort()
  }

  /// The name of a generation: at least six digits.
  package static func name(of sequence: UInt64) -> String {
    let digits = String(sequence)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".ckpt"
  }

  /// The name of a generation while it is being written.
  package static func temporaryName(of sequence: UInt64) -> String {
    name(of: sequence) + ".tmp"
  }

  /// A name to set a generation aside under, that no file has yet.
  package func nameAside(of sequence: UInt64) -> String {
    let first = Self.name(of: sequence) + ".bad"
    guard setAside.contains(first) else { return first }
    var number = 2
    while setAside.contains("\(first)\(number)") { number += 1 }
    return "\(first)\(number)"
  }

  /// Whether a generation was there once, and is gone: neither it nor a newer one is there, and it
  /// was not set aside.
  package func misses(_ sequence: UInt64) -> Bool {
    let name = Self.name(of: sequence)
    return newestFirst.first.map { $0 < sequence } ?? true
      && !setAside.contains { $0.hasPrefix(name) }
  }

  /// The generations that may be removed (C3).
  ///
  /// The newest verified ones are kept, as many as asked; what is older than all of them may go. As
  /// long as fewer are known to be whole, nothing goes.
  ///
  /// - Parameters:
  ///   - verified: The generations that were read back and found whole by this process.
  ///   - keep: How many verified generations stay; at least 2.
  /// - Returns: What may go, newest first.
  package func prunable(verified: Set<UInt64>, keep: Int = 2) -> [UInt64] {
    let whole = newestFirst.filter(verified.contains)
    let kept = whole.prefix(max(keep, 2))
    guard kept.count == max(keep, 2), let oldestKept = kept.last else { return [] }
    return newestFirst.filter { $0 < oldestKept }
  }

  /// The number and what follows `.ckpt`, or nil if the name is not ours.
  private static func parse(_ name: String) -> (sequence: UInt64, suffix: String)? {
    let isDigit = { (byte: UInt8) in byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    let digits = name.utf8.prefix(while: isDigit)
    guard digits.count >= 6, let sequence = UInt64(Substring(digits)), sequence > 0 else {
      return nil
    }
    // As `name(of:)` writes it: padded to six digits, and no longer than the number needs beyond
    // them.
    guard digits.count == 6 || digits.first != UInt8(ascii: "0") else { return nil }
    let rest = name.utf8[digits.endIndex...]
    guard rest.starts(with: ".ckpt".utf8) else { return nil }
    if rest.count == 5 { return (sequence, "") }
    let suffix = String(Substring(rest.dropFirst(5)))
    if suffix == ".tmp" || suffix == ".bad" { return (sequence, suffix) }
    guard suffix.hasPrefix(".bad"), let number = Int(suffix.dropFirst(4)), number >= 2,
      suffix == ".bad\(number)"
    else { return nil }
    return (sequence, suffix)
  }
}
