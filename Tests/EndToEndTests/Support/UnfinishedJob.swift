import Foundation
import Glibc
import Testing

/// A job to the standard output that was cut in the middle, with two generations of checkpoints:
/// made once, copied for each test.
actor UnfinishedJob {
  static let shared = UnfinishedJob()
  static let n = 30_000_000 * Yardstick.factor
  static let run = ["run", "fibonacci", "\(n)", "--keep"]
  private var template: Scratch?

  /// A fresh directory with a copy of the job.
  func copy() async throws -> Scratch {
    let template = try await made()
    let scratch = try Scratch()
    try FileManager.default.copyItem(atPath: template.jobs, toPath: scratch.jobs)
    return scratch
  }

  private func made() async throws -> Scratch {
    if let template { return template }
    // If this process gets no processor for a while, the job is finished before it can be cut.
    for _ in 0..<10 {
      let scratch = try Scratch()
      let process = try scratch.start(Self.run + ["--checkpoint-every", "50ms"])
      try await process.wait(until: "two checkpoints") { scratch.journal.newestCheckpoint >= 2 }
      process.send(SIGTERM)
      let ended = try await process.wait()
      if ended.end == .exited(0) { continue }
      try #require(ended.end == .exited(75), "\(ended.errors)")
      try #require(scratch.checkpoints.count >= 2)
      template = scratch
      return scratch
    }
    throw TimedOut(what: "a job that is cut in the middle")
  }
}

extension Scratch {
  /// The checkpoints of the one job, oldest first, as names below this directory.
  var checkpoints: [String] {
    job.map { job in
      names(in: job + "/checkpoints").filter { $0.hasSuffix(".ckpt") }
        .map { job + "/checkpoints/" + $0 }
    } ?? []
  }

  /// Changes one byte in the middle of a file.
  func flipByte(in name: String) throws {
    var bytes = try bytes(name)
    bytes[bytes.startIndex + bytes.count / 2] ^= 0x10
    try bytes.write(to: URL(fileURLWithPath: self(name)))
  }

  /// Makes a job go on and expects the uninterrupted result.
  func expectFinishes(_ comment: Comment? = nil) async throws -> FinishedProcess {
    let run = try await start(UnfinishedJob.run).wait()
    #expect(run.end == .exited(0), "\(run.errors)")
    #expect(try await run.output == Yardstick.shared.bytes(of: UnfinishedJob.n), comment)
    return run
  }

  /// Runs a job that cannot go on and expects one sentence, an exit status, and no result.
  func expectRefused(_ status: Int32, saying words: String) async throws {
    let run = try await start(UnfinishedJob.run).wait()
    #expect(run.end == .exited(status), "\(run.errors)")
    #expect(run.output.isEmpty)
    #expect(run.sentences.last?.contains(words) == true, "\(run.errors)")
  }
}
