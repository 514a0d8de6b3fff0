#if Images
import StintCore
import StintRuntime
import Testing

@testable import StintImages

@Suite("Parts of a set of images")
struct ImageSetPartTests {
  private static let folder = FilePath("/out")

  private static func record(_ plan: ImageSetPlan) -> JobRecord {
    JobRecord(
      kind: ImageSetComputation.kind, parameters: plan.parameters, outputPath: folder,
      identity: .current())
  }

  @Test("every input is in one part, and the parts are jobs of their own of one whole")
  func cut() throws {
    let plan = try ImageSetFixture(count: 7).plan()
    let parts = try (1...3).map { number in
      plan.part(try #require(Shard(number, of: 3)), into: Self.folder)
    }
    #expect(parts.map(\.items.count) == [3, 2, 2])
    #expect(Set(parts.flatMap(\.items)) == Set(plan.items))
    let records = parts.map(Self.record)
    #expect(Set(records.map(\.key)).count == 3)
    #expect(records.allSatisfy { $0.whole == Self.record(plan).key.description })
    #expect(parts.allSatisfy { $0.key(into: Self.folder) == plan.key(into: Self.folder) })
  }

  @Test("a part is gone on with from its record and its own inputs, and from no others")
  func resumed() throws {
    let plan = try ImageSetFixture(count: 5).plan()
    let part = plan.part(try #require(Shard(2, of: 2)), into: Self.folder)
    let record = Self.record(part)
    let again = try ImageSetPlan(record, items: part.items)
    #expect(again.parameters == part.parameters)
    #expect(again.cut == part.cut)
    #expect(throws: StintError.self) {
      try ImageSetPlan(record, items: plan.items)
    }
  }
}
#endif
