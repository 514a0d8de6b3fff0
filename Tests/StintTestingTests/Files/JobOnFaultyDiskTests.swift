import Dispatch
import Stint
import Testing

@testable import StintTesting

@Suite("Jobs on a faulty file system")
struct JobOnFaultyDiskTests {
  private func commit(_ number: UInt8, to job: Job) throws {
    var payload = CheckpointPayload()
    payload.append([number])
    _ = try job.commit(
      payload, workTime: .seconds(1), progress: WorkProgress(fraction: 0.5, phase: "testing"))
  }

  private func restored(_ job: Job) throws -> UInt8? {
    try job.restore { $0.first ?? 0 }?.state
  }

  @Test(
    "C6 R13 a second process is refused and told who holds the job; a kill of the holder frees it")
  func secondProcess() throws {
    let disk = FaultyFileSystem()
    let job = try Job(of: Summing(), on: disk)
    try commit(7, to: job)
    let other = disk.anotherProcess()
    let refusal = #expect(throws: StintError.self) { try Job(of: Summing(), on: other) }
    #expect(refusal?.code == .busy)
    #expect(refusal?.message.contains("process 100") == true, "\(refusal?.message ?? "")")
    disk.killProcess()
    #expect(try restored(try Job(of: Summing(), on: other)) == 7)
    withExtendedLifetime(job) {}
  }

  @Test("R1 C1 killed at each call, the next process finds what was acknowledged")
  func killAtEachCall() throws {
    func run(killAt call: Int?) throws -> (disk: FaultyFileSystem, acknowledged: UInt8) {
      let disk = FaultyFileSystem()
      if let call { disk.faults[call] = .kill }
      var acknowledged: UInt8 = 0
      if let job = try? Job(of: Summing(), on: disk) {
        for number: UInt8 in 1...3 where (try? commit(number, to: job)) != nil {
          acknowledged = number
        }
      }
      return (disk, acknowledged)
    }
    let whole = try run(killAt: nil)
    #expect(whole.acknowledged == 3)
    for call in 1...whole.disk.callCount {
      let (disk, acknowledged) = try run(killAt: call)
      #expect(!disk.isAlive, "call \(call)")
      let found = try restored(try Job(of: Summing(), on: disk.anotherProcess())) ?? 0
      #expect((acknowledged...acknowledged + 1).contains(found), "call \(call): \(found)")
    }
  }

  @Test("threads may use one disk at the same time, each from a process of its own")
  func threads() throws {
    let disk = FaultyFileSystem()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let process = disk.anotherProcess()
      guard let root = try? process.openDirectory(at: "/"),
        let file = try? process.openFile("log", in: root, .append)
      else { return }
      for _ in 0..<200 {
        _ = try? [UInt8(thread)].withUnsafeBytes { try process.append(file, $0) }
        try? process.synchronizeData(file)
      }
    }
    let bytes = try #require(disk.contents(of: "/log"))
    for thread: UInt8 in 0..<8 { #expect(bytes.count { $0 == thread } == 200) }
  }
}
