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

  private static func part(
    _ number: Int, of count: Int, _ plan: ImageSetPlan
  ) throws -> ImageSetPlan {
    plan.part(try #require(Shard(number, of: count)), of: record(plan).key.description)
  }

  @Test("every input is in one part, and the parts are jobs of their own of one whole")
  func cut() throws {
    let plan = try ImageSetFixture(count: 20).plan()
    let parts = try (1...3).map { try Self.part($0, of: 3, plan) }
    #expect(parts.allSatisfy { !$0.items.isEmpty })
    #expect(parts.flatMap(\.items).count == 20)
    #expect(Set(parts.flatMap(\.items)) == Set(plan.items))
    for part in parts {
      let numbers = try #require(part.cut?.numbers)
      #expect(numbers.map { plan.items[$0 - 1] } == part.items)
    }
    let records = parts.map(Self.record)
    #expect(Set(records.map(\.key)).count == 3)
    #expect(records.allSatisfy { $0.whole == Self.record(plan).key.description })
  }

  @Test("an input stays in its part, and the part is the same job, when the set grows")
  func grown() throws {
    var fixture = try ImageSetFixture(count: 8)
    let before = try Self.part(2, of: 3, fixture.plan())
    fixture.names = ["new.png"] + fixture.names.reversed() + ["newer.png"]
    let after = try Self.part(2, of: 3, fixture.plan())
    #expect(Set(before.items).isSubset(of: Set(after.items)))
    #expect(Self.record(before).key == Self.record(after).key)
  }

  @Test("a part is gone on with from its record and its ledger, and from no others")
  func resumed() throws {
    let plan = try ImageSetFixture(count: 5).plan()
    let part = try Self.part(2, of: 2, plan)
    let cut = try #require(part.cut)
    let list = ImageSetLedger.List(
      items: part.items, wholeCount: cut.count, numbers: cut.numbers, trusted: [.jp2],
      damaged: .warn)
    let again = try ImageSetPlan(Self.record(part), list: list)
    #expect(again.parameters == part.parameters)
    #expect(again.trusted == [.jp2] && again.selection.damaged == .warn)
    #expect(again.cut == part.cut)
    var values = part.parameters.values
    values["pipeline"] = nil
    let other = JobRecord(
      kind: ImageSetComputation.kind, parameters: JobParameters(values), outputPath: Self.folder,
      identity: .current())
    #expect(throws: StintError.self) { try ImageSetPlan(other, list: list) }
  }
}
#endif
