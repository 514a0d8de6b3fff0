import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Jobs and their moments")
struct JobStaggerTests {
  private static func stagger(_ parameters: JobParameters, output: FilePath? = nil) -> Double {
    JobKey(kind: "fibonacci", parameters: parameters, outputPath: output).stagger
  }

  @Test("R17 jobs that differ in a number or in their output are spread evenly")
  func spread() {
    let byNumber = (1...1_000).map { Self.stagger(["n": "\($0)"]) }
    let byOutput = (1...1_000).map { Self.stagger(["n": "5"], output: "/out/\($0)") }
    for staggers in [byNumber, byOutput] {
      #expect(staggers.allSatisfy { (0..<1).contains($0) })
      let tenths = Dictionary(grouping: staggers) { Int($0 * 10) }
      #expect(tenths.count == 10)
      #expect(tenths.values.allSatisfy { (60...140).contains($0.count) })
    }
  }

  @Test("R17 the number is that of the job and no clock's or process's, and the worker gets it")
  func sameEverywhere() throws {
    let disk = FaultyFileSystem()
    let first = try StoreFixture.job(on: disk, identity: StoreFixture.identity(pid: 1))
    let second = try StoreFixture.job(
      on: FaultyFileSystem(), identity: StoreFixture.identity(pid: 2, host: "there"))
    #expect(first.stagger == second.stagger)
    // As long as the keys are those of version 1, so is this number.
    #expect(Self.stagger(["n": "5"]) == 0.5113576727857273)
    let store: any WorkStore = first
    #expect(store.stagger == first.directory.key.stagger)
  }
}
