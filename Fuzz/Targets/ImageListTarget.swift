#if Images
import StintCore

@testable import StintImageCommands

/// A list of inputs, as `--files-from` takes it.
///
/// The input is the list.
enum ImageListTarget {
  private static let allowance = Allowance(
    peakBytes: (fixed: 16_384, perByte: 128), totalBytes: (fixed: 65_536, perByte: 512))

  static func examine(_ input: [UInt8]) {
    guard let names = allowance.accepted(input, { read(input) }) else { return }
    Plant.rare(names.count > 5)
    let separators: [UInt8] = input.contains(0) ? [0] : [0, UInt8(ascii: "\n")]
    require(
      names.allSatisfy { name in !name.isEmpty && !separators.contains(where: name.contains) },
      "an empty name, or two in one")
    // Whatever a name has in it, up to a NUL it is one.
    var list: [UInt8] = names.flatMap { $0 + [0] }
    if Plant.spoils { list.insert(UInt8(ascii: "x"), at: 0) }
    require(read(list) == names, "\(names) did not come back")
    require(
      names.reduce(0) { $0 + $1.count } == input.count { !separators.contains($0) },
      "something of the list is in no name")
  }

  /// The names; nil if the list is refused, which is always a usage error.
  private static func read(_ bytes: [UInt8]) -> [[UInt8]]? {
    unlessRefused("a bad list", .usage) { try ImageInputs.names(in: bytes, of: "a list") }
  }
}
#endif
