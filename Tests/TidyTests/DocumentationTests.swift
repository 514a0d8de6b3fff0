import Foundation
import Testing

@Suite("Documentation of public symbols")
struct DocumentationTests {
  /// What a brace opened.
  private enum Scope {
    case publicEnum, publicProtocol, other
  }

  /// The public declarations of a file that nothing documents, the cases of public enums and the
  /// requirements of public protocols included.
  static func faults(in file: SourceFile) -> [String] {
    let code = file.code.split(separator: "\n", omittingEmptySubsequences: false)
    let written = file.text.split(separator: "\n", omittingEmptySubsequences: false)
    var faults: [String] = []
    var scopes: [Scope] = []
    var pending = Scope.other
    var parentheses = 0
    for (index, line) in code.enumerated() {
      if parentheses == 0, declares(line, in: scopes.last ?? .other),
        !isDocumented(index, written)
      {
        let shown = written[index].trimmingCharacters(in: .whitespaces)
        faults.append("\(file.path):\(index + 1): \(shown)")
      }
      if parentheses == 0, let opened = scope(openedBy: line) { pending = opened }
      for byte in line.utf8 {
        switch byte {
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        case UInt8(ascii: "{"):
          scopes.append(pending)
          pending = .other
        case UInt8(ascii: "}"): _ = scopes.popLast()
        default: break
        }
      }
    }
    return faults
  }

  private static func declares(_ line: Substring, in scope: Scope) -> Bool {
    // What is exported of another module is documented there.
    if isPublic(line), !line.contains("public import "),
      line.contains(
        /^\s*(@\w+(\([^)]*\))? )*public (\w+(\(\w+\))? )*(var|let|func|init|struct|class|enum|actor|protocol|typealias|subscript|case)\b/
      )
    {
      return true
    }
    switch scope {
    case .publicEnum: return line.contains(/^\s*(indirect )?case \w/)
    case .publicProtocol:
      return line.contains(/^\s*(static |mutating )*(var|func|init|associatedtype|subscript)\b/)
    case .other: return false
    }
  }

  private static func scope(openedBy line: Substring) -> Scope? {
    guard isPublic(line) else { return nil }
    if line.contains(/\bpublic (indirect )?enum \w/) { return .publicEnum }
    if line.contains(/\bpublic protocol \w/) { return .publicProtocol }
    return nil
  }

  /// Few lines are; the rest need no expensive look.
  private static func isPublic(_ line: Substring) -> Bool {
    line.utf8.contains(UInt8(ascii: "p")) && line.range(of: "public ") != nil
  }

  /// Whether the lines above, attributes left out, are a documentation comment.
  private static func isDocumented(_ index: Int, _ lines: [Substring]) -> Bool {
    let above = lines[..<index].reversed().lazy.map { $0.trimmingCharacters(in: .whitespaces) }
    return above.first { !$0.hasPrefix("@") }?.hasPrefix("///") ?? false
  }

  @Test("every public symbol is documented")
  func tree() {
    let sources = Tree.swiftFiles.filter { file in Tree.code.contains { file.path.hasPrefix($0) } }
    #expect(sources.flatMap(Self.faults) == [])
    // A check that looks at nothing would pass as well.
    let symbols = sources.flatMap { $0.places(of: #"\bpublic (struct|enum|func|init|var)"#) }
    #expect(symbols.count > 200)
  }

  @Test("the check catches what is not documented, cases and requirements included")
  func planted() {
    let file = SourceFile(
      path: "A.swift",
      text: """
        /// Documented.
        public struct A {
          public var bare = 1
          /// Documented.
          @inlinable
          public init(
            first: Int, public second: Int
          ) {}
          // Not documentation.
          public static func plain() { switch 1 { case 1: break } }
          var hidden = 2
        }
        /// Documented.
        public enum B: Hashable {
          case bare
          /// Documented.
          case told(Int)
          public func of() { switch self { 
            case .bare: break 
          } }
        }
        /// Documented.
        public protocol P {
          var bare: Int { get }
          /// Documented.
          func told()
        }
        extension A { public let last = 1 }
        @available(*, deprecated) public let old = 1
        """)
    #expect(
      Self.faults(in: file) == [
        "A.swift:3: public var bare = 1",
        "A.swift:10: public static func plain() { switch 1 { case 1: break } }",
        "A.swift:15: case bare", "A.swift:18: public func of() { switch self {",
        "A.swift:24: var bare: Int { get }",
        "A.swift:29: @available(*, deprecated) public let old = 1",
      ])
  }
}
