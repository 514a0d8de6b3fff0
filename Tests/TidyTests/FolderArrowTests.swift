import Foundation
import Testing

/// Folders of one module use each other in one direction.
///
/// What a folder uses is derived from the code: a file uses the folder that declares a type or a
/// function of its module which the file names. `docs/architecture.md` lists what each folder may
/// use.
@Suite("Arrows between folders")
struct FolderArrowTests {
  /// What each folder uses; a folder is "Module/Folder", files beside the folders are in "Module".
  typealias Arrows = [String: [String: String]]

  /// The folder of a file in a module: "Sources/StintImages/Filters/Kinds/Blur.swift" is in
  /// "StintImages/Filters/Kinds".
  static func folder(of path: String) -> String {
    path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
  }

  /// The names that a file declares for its whole module.
  static func declared(in file: SourceFile) -> [String] {
    file.code.matches(
      of:
        /(?m)^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|final|indirect) )*(?:class|struct|enum|protocol|actor|typealias|func|let|var) (\w+)/
    ).map { String($0.1) }
  }

  /// Derives the arrows of one module from its files, each with a name that proves it.
  static func arrows(of files: [SourceFile]) -> Arrows {
    var homes: [String: Set<String>] = [:]
    for file in files {
      for name in declared(in: file) { homes[name, default: []].insert(folder(of: file.path)) }
    }
    var arrows: Arrows = [:]
    for file in files {
      let here = folder(of: file.path)
      for word in Set(file.code.split { !($0.isLetter || $0.isNumber || $0 == "_") }) {
        // A name that two folders declare proves nothing.
        guard let home = homes[String(word)], home.count == 1, let there = home.first,
          there != here
        else { continue }
        arrows[here, default: [:]][there] = "\(word) in \(file.path)"
      }
    }
    return arrows
  }

  /// The rows of the page: what each folder may use.
  static func listed(in page: String) -> [String: Set<String>] {
    var rows: [String: Set<String>] = [:]
    for match in page.matches(of: /(?m)^\| `([\w\/-]+)` \|([^|\n]*)\|/) {
      rows[String(match.1)] = Set(match.2.matches(of: /`([\w\/-]+)`/).map { String($0.1) })
    }
    return rows
  }

  /// Whether one folder is inside of the other: a folder and its parts may use each other.
  static func areOne(_ one: String, _ other: String) -> Bool {
    (one + "/").hasPrefix(other + "/") && other.contains("/")
      || (other + "/").hasPrefix(one + "/") && one.contains("/")
  }

  static func faults(of files: [SourceFile], listed: [String: Set<String>]) -> [String] {
    var faults: [String] = []
    var folders: Set<String> = []
    let modules = Dictionary(grouping: files) { folder(of: $0.path).split(separator: "/")[0] }
    for (module, files) in modules {
      let here = Set(files.map { folder(of: $0.path) })
      folders.formUnion(here)
      let derived = arrows(of: files)
      for from in here.sorted() {
        let used = derived[from, default: [:]].filter { !areOne(from, $0.key) }
        guard let may = listed[from] else {
          faults.append("\(from) is not in docs/architecture.md")
          continue
        }
        let names = Dictionary(
          uniqueKeysWithValues: used.map { (String($0.key.dropFirst(module.count + 1)), $0.value) })
        for (name, proof) in names where !may.contains(name) {
          faults.append("\(from) uses \(name.isEmpty ? "the top of its module" : name): \(proof)")
        }
        for name in may where names[name] == nil {
          faults.append("\(from) does not use \(name), and docs/architecture.md lists it")
        }
      }
      // A circle of whole folders may lead through their parts.
      if let cycle = cycle(in: derived) ?? cycle(in: ofTopFolders(derived)) {
        faults.append("a cycle: " + cycle.joined(separator: " → "))
      }
    }
    for name in listed.keys where !folders.contains(name) {
      faults.append("\(name) is in docs/architecture.md and has no file")
    }
    return faults.sorted()
  }

  /// The arrows between the top folders of a module, with those of their parts.
  static func ofTopFolders(_ arrows: Arrows) -> Arrows {
    func top(_ folder: String) -> String {
      folder.split(separator: "/").prefix(2).joined(separator: "/")
    }
    var tops: Arrows = [:]
    for (from, used) in arrows {
      for (to, proof) in used where top(from) != top(to) {
        tops[top(from), default: [:]][top(to)] = proof
      }
    }
    return tops
  }

  /// Folders that use each other in a circle.
  static func cycle(in arrows: Arrows) -> [String]? {
    var done: Set<String> = []
    var path: [String] = []
    func visit(_ folder: String) -> [String]? {
      if let start = path.firstIndex(of: folder) { return path[start...] + [folder] }
      guard !done.contains(folder) else { return nil }
      path.append(folder)
      for next in arrows[folder, default: [:]].keys.sorted() where !areOne(folder, next) {
        if let cycle = visit(next) { return cycle }
      }
      path.removeLast()
      done.insert(folder)
      return nil
    }
    for folder in arrows.keys.sorted() {
      if let cycle = visit(folder) { return cycle }
    }
    return nil
  }

  private static let product = Tree.swiftFiles.filter { file in
    (Tree.code + ["Benchmarks/StintScenarios/", "Benchmarks/stint-bench/"])
      .contains(where: file.path.hasPrefix) && !file.path.contains(".docc/")
  }

  @Test("arrows between the folders of a module go one way, and are those of docs/architecture.md")
  func tree() throws {
    let page = try #require(Tree.text(of: "docs/architecture.md"))
    #expect(Self.product.count > 300, "the tree was not found")
    #expect(Self.faults(of: Self.product, listed: Self.listed(in: page)) == [])
  }

  @Test("the check catches an arrow, a row and a cycle that should not be there")
  func planted() {
    func file(_ path: String, _ code: String) -> SourceFile {
      SourceFile(path: "Sources/M/" + path, text: code)
    }
    let low = file("Low/A.swift", "package struct Low {\n}\n")
    let high = file("High/B.swift", "struct High {\n  var low: Low\n}\n")
    let rows: [String: Set<String>] = ["M/Low": [], "M/High": ["Low"]]
    #expect(Self.faults(of: [low, high], listed: rows) == [])
    #expect(Self.faults(of: [low, high], listed: ["M/Low": []]).count == 1, "an unlisted folder")
    #expect(
      Self.faults(of: [low, high], listed: ["M/Low": [], "M/High": []]).count == 1,
      "an unlisted arrow")
    #expect(
      Self.faults(of: [low, high], listed: ["M/Low": ["High"], "M/High": ["Low"]]).count == 1,
      "an arrow that is not there")
    #expect(
      Self.faults(of: [low, high], listed: rows.merging(["M/Gone": []]) { $1 }).count == 1,
      "a folder that is gone")
    let back = file("Low/C.swift", "func f() -> High? { nil }\n")
    let both: [String: Set<String>] = ["M/Low": ["High"], "M/High": ["Low"]]
    #expect(Self.faults(of: [low, high, back], listed: both).count == 1, "a cycle")
    let quoted = file("Low/D.swift", "// High\nlet text = \"High\"\n")
    #expect(Self.faults(of: [low, high, quoted], listed: rows) == [], "a comment is no use")
    let part = file("Low/Part/E.swift", "struct Part {\n  var low: Low\n}\n")
    let whole = file("Low/F.swift", "struct Whole {\n  var part: Part\n}\n")
    #expect(
      Self.faults(
        of: [low, high, part, whole], listed: rows.merging(["M/Low/Part": []]) { $1 }) == [],
      "a folder and its parts are one")
    let hidden = file("Low/Part/G.swift", "struct Hidden {\n  var high: High\n}\n")
    #expect(
      Self.faults(
        of: [low, high, hidden], listed: rows.merging(["M/Low/Part": ["High"]]) { $1 }
      ).count == 1,
      "a cycle through a part")
    #expect(
      Self.listed(in: "| `M/High` | `Low`, `Other` |\n| `M/Low` | nothing |\n")
        == ["M/High": ["Low", "Other"], "M/Low": []])
  }
}
