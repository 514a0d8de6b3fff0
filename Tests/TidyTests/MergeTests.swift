import Testing

@Suite("Merges")
struct MergeTests {
  /// What git leaves where two histories changed the same lines.
  static func marks(in text: String) -> [Int] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      number, line in
      line.hasPrefix("<<<<<<< ") || line.hasPrefix(">>>>>>> ") || line == "======="
        ? number + 1 : nil
    }
  }

  @Test("no file holds a conflict of a merge")
  func tree() {
    let texts = Tree.paths.compactMap { path in Tree.text(of: path).map { (path, $0) } }
    #expect(texts.count > 400, "the tree was not found")
    for (path, text) in texts {
      let lines = Self.marks(in: text)
      #expect(lines.isEmpty, "\(path), lines \(lines)")
    }
  }

  @Test("the check catches both marks and what is between them")
  func planted() {
    let mark = String(repeating: "<", count: 7) + " HEAD"
    #expect(Self.marks(in: "one\n\(mark)\n=======\ntwo\n>>>>>>> branch\n") == [2, 3, 5])
    #expect(Self.marks(in: "A title\n========\n  >>>>>>> quoted") == [])
  }
}
