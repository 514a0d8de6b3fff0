import Testing

@Suite("Folders that checks name")
struct FolderTests {
  /// The top folders; checks that name folders do not find Swift in another one.
  static let top = [
    "Benchmarks", "Examples", "Fuzz", "Package.swift", "Sources", "Tests", "Verification",
  ]

  /// The folders that hold Swift at any depth below them.
  static func holding(_ paths: [String]) -> Set<String> {
    var folders: Set<String> = [""]
    for path in paths {
      let parts = path.split(separator: "/")
      for count in 1...max(1, parts.count) {
        folders.insert(
          parts.prefix(count).joined(separator: "/") + (count < parts.count ? "/" : ""))
      }
    }
    return folders
  }

  /// What checks name and what holds no Swift: they would look at nothing.
  static func missing(_ named: [String], in paths: [String]) -> [String] {
    let folders = holding(paths)
    return named.filter { !folders.contains($0) }.map {
      "\($0) is named by a check and holds no Swift"
    }
  }

  /// What holds Swift and is named by no check.
  static func unlisted(top: [String], modules: Set<String>, in paths: [String]) -> [String] {
    let found = Set(paths.map { String($0.prefix { $0 != "/" }) })
    let unknown = found.subtracting(top).sorted().map { "\($0) holds Swift and is in no list" }
    let programs = paths.filter { $0.hasSuffix("/main.swift") }
    return unknown
      + Set(paths.compactMap(module)).subtracting(modules).sorted().filter { module in
        !programs.contains { $0.hasSuffix("/\(module)/main.swift") }
      }.map { "\($0) is a module that ImportTests does not know" }
  }

  private static func module(of path: String) -> String? {
    let parts = path.split(separator: "/")
    let holdsModules = ["Sources", "Verification", "Benchmarks"].contains(parts[0])
    return holdsModules && parts.count > 2 && parts[1] != "Tests" ? String(parts[1]) : nil
  }

  /// The folders that a script names and that are not there; a file may be one that it makes.
  static func gone(from folders: Set<String>, in script: String) -> [String] {
    script.matches(
      of: /(?:^|[^\w\/.])((?:Sources|Verification|Tests|Benchmarks|Examples|Fuzz)\/[\w\/.+-]*)/
    )
    .map(\.1).filter { path in
      let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
      let isFile = path.dropFirst(folder.count).contains(".")
      return !path.contains("/.") && !folders.contains("\(path)/")
        && !folders.contains(String(isFile ? folder : path))
    }.map(String.init)
  }

  private static let swift = Tree.swiftFiles.map(\.path)

  @Test("every folder that a check names holds Swift")
  func named() {
    let bans = Ban.all.flatMap { $0.applies + $0.exceptions.keys }
    let imports = ImportTests.allowed.values.flatMap { $0 }
    #expect(Self.missing(bans + imports, in: Self.swift) == [])
  }

  @Test("every folder that a script names is there")
  func scripts() throws {
    let folders = Self.holding(Tree.paths)
    let scripts = Tree.files(under: "scripts") + ["Makefile", "Package.swift"]
    for script in scripts {
      let text = try #require(Tree.text(of: script))
      #expect(Self.gone(from: folders, in: text) == [], "\(script)")
    }
    let planted =
      "a=(Sources/Gone/ Sources/Stint Tests/Gone \"Tests/A/b.swift\") "
      + "Tests/new.c x/Sources/B/ Fuzz/.build"
    #expect(
      Self.gone(from: folders, in: planted) == ["Sources/Gone/", "Tests/Gone", "Tests/A/b.swift"])
  }

  @Test("every folder of Swift is in a list")
  func all() {
    let modules = Set(ImportTests.allowed.keys)
    #expect(Self.unlisted(top: Self.top, modules: modules, in: Self.swift) == [])
  }

  @Test("the checks catch a folder that is gone, one that is empty, and one that is new")
  func planted() {
    let paths = [
      "Sources/A/B/C.swift", "Package.swift", "New/D.swift", "Sources/E/F.swift",
      "Sources/g/main.swift",
    ]
    #expect(Self.missing(["", "Sources/", "Sources/A/B/", "Sources/E/F.swift"], in: paths) == [])
    #expect(
      Self.missing(["Sources/G/", "Sources/A", "Sources/E/G.swift"], in: paths).map {
        $0.prefix { $0 != " " }
      }
        == ["Sources/G/", "Sources/A", "Sources/E/G.swift"])
    #expect(
      Self.unlisted(top: ["Sources", "Package.swift"], modules: ["A"], in: paths) == [
        "New holds Swift and is in no list", "E is a module that ImportTests does not know",
      ])
  }
}
