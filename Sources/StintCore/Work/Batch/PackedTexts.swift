/// A list of texts in one piece of memory, for lists of a million short ones.
package struct PackedTexts: Hashable, Sendable {
  private var bytes: [UInt8] = []
  /// Where each text ends in the bytes.
  private var ends: [Int] = []

  package init() {}

  package init(_ texts: some Sequence<String>) {
    for text in texts { append(text) }
  }

  package var count: Int { ends.count }

  /// The bytes of all texts together.
  package var byteCount: Int { bytes.count }

  package mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    ends.append(bytes.count)
  }

  package subscript(index: Int) -> String {
    String(decoding: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]], as: UTF8.self)
  }
}
