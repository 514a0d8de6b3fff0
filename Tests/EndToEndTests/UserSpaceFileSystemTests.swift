import Foundation
import Testing

extension EndToEnd {
  /// Such a file system learns of a closed file later, and keeps one that was removed until then.
  @Suite(
    "Jobs on a file system in user space", .enabled(if: FileServer.mayMount, FileServer.reason))
  struct UserSpaceFileSystemTests {
    @Test("a job's directory goes with all its files: by clean, and after a short run")
    func removed() async throws {
      let scratch = try Scratch()
      let server = try await FileServer(in: scratch)
      defer { server.end() }
      func stint(_ words: String...) async throws {
        let run = try await StintProcess(
          [Programs.stint()] + words, in: scratch,
          environment: ["STINT_JOBS": scratch("mount/jobs")]
        ).wait().expectExit(0)
        #expect(!run.errors.contains("stay"), "\(run.errors)")
      }
      for n in ["1000", "2000", "3000"] {
        try await stint("run", "fibonacci", n, "-o", "f" + n, "--keep")
      }
      #expect(scratch.names(in: "disk/jobs").count == 3)
      try await stint("clean")
      #expect(scratch.names(in: "disk/jobs") == [])
      try await stint("run", "fibonacci", "4000")
      // One that lasted a second, as on a busy machine, is a job; nothing else may stay.
      #expect(
        scratch.names(in: "disk/jobs").allSatisfy { scratch.exists("disk/jobs/\($0)/job.json") })
    }
  }
}
