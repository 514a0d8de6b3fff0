/// Messages as a terminal shows them.
///
/// The layers below say what is wrong as a clause that may become a part of another one; what stands alone is a sentence.
package enum Sentence {
  /// The text with a capital at its beginning and a full stop at its end, where it lacks them.
  ///
  /// A path, a key or an option at the beginning stays as it is.
  package static func of(_ text: String) -> String {
    guard let last = text.last else { return text }
    let word = text.prefix { $0 != " " }
    let isWord = word.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    let begun = isWord ? word.prefix(1).uppercased() + text.dropFirst() : text
    return ".!?".contains(last) ? begun : begun + "."
  }
}
