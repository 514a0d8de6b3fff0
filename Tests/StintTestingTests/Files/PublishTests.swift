import Foundation
import Stint
import Testing

@testable import StintTesting

@Suite("Publishing a result")
struct PublishTests {
  private let path = "/results/of/today/sum.txt"
  private let old = Array("the result of before".utf8)
  private let new = Array("forty-two, and a line that is longer than a sector\n".utf8)

  /// Publishes over an older file, with a fault at a call after the job was opened.
  private func publish(
    _ fault: FileFault?, atCall call: Int, over older: [UInt8]?,
    ignoring ignored: FaultyFileSystem.IgnoredSynchronization = .none
  ) throws -> (disk: FaultyFileSystem, calls: Int, isPublished: Bool) {
    let disk = FaultyFileSystem()
    disk.ignoredSynchronization = ignored
    if let older { disk.setContents(older, of: path) }
    let job = try Job(of: Summing(), on: disk)
    let before = disk.callCount
    if let fault { disk.faults[before + call] = fault }
    let isPublished = (try? job.workspace.publish(new, to: path)) != nil
    return (disk, disk.callCount - before, isPublished)
  }

  @Test(
    "W9 R1 power may go at any call: the name has the old file or all of the new one, and the new one once publish has returned",
    arguments: [true, false])
  func powerLoss(replaces: Bool) throws {
    let older = replaces ? old : nil
    let whole = try publish(nil, atCall: 0, over: older)
    #expect(whole.isPublished)
    for call in 1...whole.calls + 1 {
      let (disk, _, isPublished) = try publish(.powerLoss, atCall: call, over: older)
      #expect(isPublished == (call > whole.calls), "call \(call)")
      for survival in [.nothing, .everything] + (0..<4).map(FaultyFileSystem.Survival.some(seed:)) {
        let found = disk.rebooted(survival).contents(of: path)
        #expect(
          found == new || (found == older && !isPublished), "call \(call), \(survival)")
      }
    }
  }

  @Test("W9 a disk that does not wait loses the result, so the test above can fail")
  func planted() throws {
    for ignored in [FaultyFileSystem.IgnoredSynchronization.directories, .all] {
      let (disk, _, isPublished) = try publish(nil, atCall: 0, over: nil, ignoring: ignored)
      #expect(isPublished)
      #expect(disk.rebooted(.nothing).contents(of: path) != new)
    }
  }

  @Test("W9 after a kill it publishes again, and leaves nothing beside the result")
  func again() throws {
    let calls = try publish(nil, atCall: 0, over: old).calls
    for call in 1...calls {
      let (disk, _, _) = try publish(.kill, atCall: call, over: old)
      let next = disk.anotherProcess()
      try Job(of: Summing(), on: next).workspace.publish(new, to: path)
      #expect(next.files(below: "/results") == [path], "call \(call)")
      #expect(next.contents(of: path) == new)
    }
  }

  @Test("W9 a second result leaves the first one as it is")
  func two() throws {
    let disk = FaultyFileSystem()
    let job = try Job(of: Summing(), on: disk)
    try job.workspace.publish("first".utf8, to: "/a")
    try job.workspace.publish("second".utf8, to: "/b")
    #expect(disk.contents(of: "/a") == Array("first".utf8))
    #expect(disk.contents(of: "/b") == Array("second".utf8))
  }

  @Test("W9 on the real file system it makes the folder, and replaces what is there")
  func real() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "publish-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = folder.appending(path: "results/sum.txt")
    var options = Job.Options()
    options.jobsDirectory = folder.appending(path: "jobs").path
    let job = try Job(of: Summing(), options: options)
    for text in ["one", "another one"] {
      try job.workspace.publish(text.utf8, to: result.path)
      #expect(try String(contentsOf: result, encoding: .utf8) == text)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: result.deletingLastPathComponent().path)
        == ["sum.txt"])
  }

  @Test("W9 an empty path and a workspace that is no job's are refused")
  func refused() throws {
    let job = try Job(of: Summing(), on: FaultyFileSystem())
    for workspace: any Workspace in [job.workspace, MemoryWorkspace()] {
      let error = #expect(throws: StintError.self) { try workspace.publish("x".utf8, to: "") }
      #expect(error?.code == .usage)
    }
  }
}
