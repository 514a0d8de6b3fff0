import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint verify")
struct VerifyTests {
  let fixture = VerbFixture()

  func verify(_ key: String) throws -> (items: [String: String], status: Int32) {
    let result = try VerifyCommand(context: fixture.context("verify", key, "--json")).run()
    let json = try VerbFixture.object(result.output)
    let items = json["items"] as? [[String: Any]] ?? []
    return (
      Dictionary(
        items.map { ($0["name"] as? String ?? "", $0["state"] as? String ?? "") },
        uniquingKeysWith: { $1 }), result.exitStatus
    )
  }

  @Test("a whole job is whole")
  func whole() throws {
    let (items, status) = try verify(try fixture.waitingJob(1))
    #expect(
      items == ["job.json": "ok", "journal.jsonl": "ok", "checkpoints/000001.ckpt": "ok"])
    #expect(status == 0)
  }

  @Test("a job that is held and has nothing to keep yet is not damaged")
  func reserved() throws {
    let job = try fixture.job(1)
    try job.reserve()
    let (items, status) = try verify(job.key)
    #expect(items == ["job.json": "note", "journal.jsonl": "ok"])
    #expect(status == 0)
    job.withdraw()
  }

  @Test("C2 a flipped bit of a generation is found, and the exit status says so")
  func flippedBit() throws {
    let key = try fixture.waitingJob(1)
    try fixture.damage("\(key)/checkpoints/000001.ckpt", at: 200)
    let (items, status) = try verify(key)
    #expect(items["checkpoints/000001.ckpt"] == "damaged")
    #expect(status == ExitStatus.damaged)
    let text = try VerifyCommand(context: fixture.context("verify", key)).run().output
    #expect(text.contains("has damaged contents"))
  }

  @Test("C2 generations are checked although job.json is damaged")
  func record() throws {
    let key = try fixture.waitingJob(1)
    try "{".write(
      toFile: fixture.jobsPath + "/\(key)/job.json", atomically: false, encoding: .utf8)
    let (items, status) = try verify(key)
    #expect(items["job.json"] == "damaged")
    #expect(items["checkpoints/000001.ckpt"] == "ok")
    #expect(status == ExitStatus.damaged)
  }

  @Test("a journal that is gone beside checkpoints is damage")
  func journalGone() throws {
    let key = try fixture.waitingJob(1)
    try FileManager.default.removeItem(atPath: fixture.jobsPath + "/\(key)/journal.jsonl")
    let (items, status) = try verify(key)
    #expect(items["journal.jsonl"] == "damaged")
    #expect(status == ExitStatus.damaged)
  }

  @Test("a checkpoint that the journal tells of and that is gone is damage")
  func gone() throws {
    let key = try fixture.waitingJob(1)
    try FileManager.default.removeItem(
      atPath: fixture.jobsPath + "/\(key)/checkpoints/000001.ckpt")
    #expect(try verify(key).items["checkpoints"] == "damaged")
    // As a run leaves it that found nothing whole.
    try "damaged".write(
      toFile: fixture.jobsPath + "/\(key)/checkpoints/000001.ckpt.bad", atomically: false,
      encoding: .utf8)
    let (items, status) = try verify(key)
    #expect(items["checkpoints"] == "damaged" && items["checkpoints/000001.ckpt.bad"] == "note")
    #expect(status == ExitStatus.damaged)
  }

  @Test("garbage in the journal is damage, a torn last line is not")
  func journal() throws {
    let key = try fixture.waitingJob(1)
    let path = fixture.jobsPath + "/\(key)/journal.jsonl"
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    try (whole + "{\"event\":\"no").write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try verify(key).items["journal.jsonl"] == "note")
    #expect(try verify(key).status == 0)
    try ("garbage\n" + whole).write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try verify(key).items["journal.jsonl"] == "damaged")
  }

  @Test(
    "a journal that a power cut emptied is a note beside a whole checkpoint",
    arguments: ["", "\0\0\0\0", "\0\0\0\0\n"])
  func emptied(contents: String) throws {
    let key = try fixture.waitingJob(1)
    let path = fixture.jobsPath + "/\(key)/journal.jsonl"
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    try contents.write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try verify(key).items["journal.jsonl"] == "note")
    #expect(try verify(key).status == 0)
    guard contents.hasSuffix("\n") else { return }
    // As the next process leaves it, after it has begun a new line.
    try (contents + whole).write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try verify(key).items["journal.jsonl"] == "note")
    #expect(try verify(key).status == 0)
    try fixture.damage("\(key)/checkpoints/000001.ckpt", at: 200)
    #expect(try verify(key).status == ExitStatus.damaged)
  }

  @Test("the result is compared with its record: as it was, changed, gone")
  func result() throws {
    let key = try fixture.finishedJob(2)
    let output = fixture.path + "/result-2"
    #expect(try verify(key).items[output] == "ok")
    try "12346\n".write(toFile: output, atomically: false, encoding: .utf8)
    #expect(try verify(key).items[output] == "damaged")
    try FileManager.default.removeItem(atPath: output)
    let (items, status) = try verify(key)
    #expect(items[output] == "damaged")
    #expect(status == ExitStatus.damaged)
  }

  @Test("C8 a link among the partial files is damage and is not followed")
  func link() throws {
    let key = try fixture.waitingJob(1)
    try FileManager.default.createSymbolicLink(
      atPath: fixture.jobsPath + "/\(key)/partial/result", withDestinationPath: "/etc/passwd")
    #expect(try verify(key).items["partial/result"] == "damaged")
  }
}
