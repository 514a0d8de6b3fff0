import Foundation
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// Files of version 1 as they must stay.
///
/// What an older program wrote is read for ever, and what is written does not drift. The bytes were
/// made from the tables in `docs/formats/` by a program that shares no code with this one but
/// libxxhash.
@Suite("Golden files")
struct GoldenTests {
  private static let checkpoint = """
    d353544e0d0a1a0a010000000100000074657374000000000000000000000000
    759df5a87d496455e30959e6f27dbdb80100000000000000002f685900000000
    10000000000000000000b49376e2fa1800000000000000000000000000000000
    f1137f88c11d3e8494e8e27941ddbcfcd5d9fd749d5d8256ff159a27bde472b0
    7369787465656e2062797465732e2e2e
    """

  private static let record = """
    {
      "createdUnixSeconds" : 1800000000.001,
      "formatVersion" : 1,
      "kind" : "test",
      "outputPath" : "/out/result",
      "parameterHash" : "759df5a87d496455e30959e6f27dbdb8",
      "parameters" : {
        "n" : "5"
      }
    }

    """

  private var golden: [UInt8] {
    let digits = Self.checkpoint.filter(\.isHexDigit)
    return stride(from: 0, to: digits.count, by: 2).map { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start...].prefix(2), radix: 16) ?? 0
    }
  }

  private func job() throws -> (disk: FaultyFileSystem, job: Job) {
    let disk = FaultyFileSystem()
    return (disk, try StoreFixture.job(on: disk))
  }

  @Test("C5 a checkpoint is written byte for byte as in version 1")
  func written() throws {
    let (disk, job) = try job()
    var payload = CheckpointPayload()
    payload.append(Array("sixteen bytes...".utf8))
    _ = try job.commit(
      payload, workTime: .milliseconds(1500), progress: WorkProgress(fraction: 0, phase: "x"))
    var bytes = try #require(disk.node(job.path + "/checkpoints/000001.ckpt")).data
    // The label comes from a clock; what is signed with it is checked below.
    bytes.replaceSubrange(72..<80, with: golden[72..<80])
    bytes.replaceSubrange(112..<128, with: golden[112..<128])
    #expect(
      bytes == golden, "\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())")
    #expect(XXH3Checksum.digest(Array(golden[..<112])).bytes == Array(golden[112..<128]))
  }

  @Test("C5 a checkpoint of version 1 is read")
  func read() throws {
    let (disk, job) = try job()
    try job.materialize()
    disk.setContents(golden, of: job.path + "/checkpoints/000001.ckpt")
    let restored = try job.restore { String(decoding: $0, as: UTF8.self) }
    #expect(restored?.state == "sixteen bytes...")
    #expect(restored?.workTime == .milliseconds(1500))
  }

  @Test("job.json is written as in version 1, and the key is that of version 1")
  func jobRecord() throws {
    let (disk, job) = try job()
    try job.materialize()
    #expect(job.key == "test-b14e422b18a94298")
    let bytes = try #require(disk.node(job.path + "/job.json")).data
    #expect(String(decoding: bytes, as: UTF8.self) == Self.record)
  }
}
