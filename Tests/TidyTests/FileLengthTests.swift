import Testing

@Suite("Length of files")
struct FileLengthTests {
  static let limit = 600
  static let wanted = 400

  /// Files above the wanted length, with the reason.
  static let reasons: [String: String] = [:]

  static func faults(in file: SourceFile) -> [String] {
    if file.lineCount > limit {
      return ["\(file.path) has \(file.lineCount) lines; more than \(limit) is a mistake"]
    }
    if file.lineCount > wanted, reasons[file.path] == nil {
      return ["\(file.path) has \(file.lineCount) lines; above \(wanted) it needs a reason here"]
    }
    return []
  }

  @Test("no file is too long")
  func tree() {
    #expect(Tree.swiftFiles.count > 20, "the tree was not found")
    #expect(Tree.swiftFiles.flatMap(Self.faults) == [])
  }

  @Test("the check catches a file that is too long")
  func planted() {
    func file(lines: Int) -> SourceFile {
      SourceFile(path: "Long.swift", text: String(repeating: "\n", count: lines))
    }
    #expect(Self.faults(in: file(lines: 400)).isEmpty)
    #expect(Self.faults(in: file(lines: 401)).count == 1)
    #expect(Self.faults(in: file(lines: 601)).count == 1)
  }
}
