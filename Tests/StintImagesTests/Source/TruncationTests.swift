#if Images
import StintCore
import StintRuntime
import Testing

@testable import StintImages

@Suite("Files that are cut off")
struct TruncationTests {
  /// One pipeline for each filter.
  static let filters: [String] = {
    var seen: Set<Substring> = []
    return FilterVariants.all.filter { seen.insert($0.prefix { $0 != ":" }).inserted }
  }()

  /// What is left of so many bytes.
  private static func cuts(_ count: Int) -> [Int] {
    [1, 25, 50, 75, 99].map { count * $0 / 100 } + [count - 7, count - 2, count - 1]
  }

  @Test(
    "W15 every filter refuses them, or makes what it makes of the whole file: alone, and in sets",
    arguments: filters)
  func everyFilter(_ filter: String) throws {
    let folder = try ImageFolder()
    var owners: [String: FileKind] = [:]
    for kind in FileKind.all where !kind.isBitonal || !["sepia", "clahe"].contains(filter) {
      let bytes = try kind.bytes(in: folder)
      for (index, count) in Self.cuts(bytes.count).enumerated() {
        let name = "\(index)-\(kind.name)"
        try folder.write(Array(bytes.prefix(count)), name)
        owners[name] = kind
      }
    }
    let names = owners.keys.sorted()
    var whole: [String: FileOutcome] = [:]
    for kind in FileKind.all {
      whole[kind.name] = try .single(folder.path(kind.name), filter, streams: true)
    }
    var refused = 0
    func check(_ outcome: FileOutcome?, _ name: String, _ how: String) throws {
      let kind = try #require(owners[name])
      switch outcome {
      case .refused(let code):
        refused += 1
        #expect(code == .damaged, "\(name) \(how)")
      case .made, nil:
        #expect(outcome == whole[kind.name], "\(name) \(how)")
      }
    }
    for name in names {
      for streams in [false, true] {
        try check(.single(folder.path(name), filter, streams: streams), name, "\(streams)")
      }
    }
    for heldBytes in [0, 1 << 20] {
      var fixture = try ImageSetFixture(folder, names, filters: [filter])
      fixture.keepsNames = true
      let outcomes = try FileOutcome.set(fixture, heldBytes: heldBytes)
      for name in names { try check(outcomes[name], name, "set, \(heldBytes)") }
    }
    // Some cuts take only what no pixel needs.
    #expect(refused > names.count * 4 * 3 / 5)
  }
}
#endif
