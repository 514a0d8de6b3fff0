import Foundation
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("A job's directory that is held before there is anything to keep")
struct JobReservationTests {
  @Test("C6 R13 another process is refused from then on, and nothing is left when it is withdrawn")
  func withdrawn() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    try job.reserve()
    try job.reserve()
    #expect(!job.isMaterialized)
    let other = disk.anotherProcess()
    for _ in 1...2 {
      expectError(.busy) { try StoreFixture.job(on: other) }
    }
    #expect(try StoreFixture.catalog(of: other).jobs().map(\.isRunning) == [true])
    job.withdraw()
    job.withdraw()
    #expect(try StoreFixture.catalog(of: other).keys() == [])
    try StoreFixture.commit(1, to: try StoreFixture.job(on: other))
  }

  @Test("C6 who looked before it was held is refused when it wants it too")
  func lateComer() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    let other = try StoreFixture.job(on: disk.anotherProcess())
    try job.reserve()
    expectError(.busy) { try other.reserve() }
    // What it does not hold it does not take away.
    other.withdraw()
    try StoreFixture.commit(1, to: job)
    job.withdraw()
    #expect(try StoreFixture.catalog(of: disk.anotherProcess()).jobs().map(\.generations) == [[1]])
  }

  @Test("W11 a stop is seen before there is anything to keep, and goes with the directory")
  func stop() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    try job.reserve()
    #expect(!job.isSet(.stop))
    let catalog = try StoreFixture.catalog(of: disk.anotherProcess())
    try catalog.set(.stop, to: true, for: job.key)
    #expect(job.isSet(.stop))
    job.withdraw()
    #expect(try catalog.keys() == [])
  }

  @Test("C1 a kill at any call leaves nothing, or what verbs pass over and the next run takes")
  func killed() throws {
    let whole = FaultyFileSystem()
    let job = try StoreFixture.job(on: whole)
    let first = whole.calls.count
    try job.reserve()
    job.withdraw()
    var halfMade = 0
    for number in first + 1...whole.calls.count {
      let disk = FaultyFileSystem()
      let job = try StoreFixture.job(on: disk)
      disk.faults[number] = .kill
      try? job.reserve()
      job.withdraw()
      for later in [disk.anotherProcess(), disk.rebooted(.nothing), disk.rebooted(.some(seed: 7))] {
        let catalog = try StoreFixture.catalog(of: later)
        #expect(try catalog.jobs().isEmpty, "killed at call \(number)")
        for key in try catalog.keys() {
          halfMade += 1
          #expect(catalog.summary(of: key).isHalfMade, "killed at call \(number)")
        }
        try StoreFixture.commit(1, to: try StoreFixture.job(on: later))
        #expect(try catalog.jobs().map(\.generations) == [[1]])
      }
    }
    #expect(halfMade > 4)
  }

  @Test("C6 a directory that is withdrawn while somebody opens it is not there for that one")
  func race() throws {
    let scratch = ScratchDirectory()
    let first = try StoreFixture.realJob(at: scratch.path)
    try first.reserve()
    let disk = HookedFileSystem()
    disk.setHook { (call, name) throws(StintError) in
      if call == "openFile", name == "lock" { first.withdraw() }
    }
    let second = try StoreFixture.realJob(on: disk, at: scratch.path)
    #expect(!second.isMaterialized)
    try StoreFixture.commit(1, to: second)
    #expect(try JobCatalog(jobsDirectory: scratch.path).jobs().map(\.generations) == [[1]])
  }
}
