import Foundation
import Testing

extension EndToEnd {
  @Suite("The embedded worker")
  struct ExampleTests {
    @Test(
      "W8 a program that imports Stint is cut, resumes, and ends with the result of one run",
      .enabled(if: EndToEnd.isFull, "it builds a package"))
    func embeddedWorker() async throws {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let run = try await StintProcess(
        [Programs.root + "/scripts/example"], in: Scratch(), environment: ["PATH": path]
      ).wait(atMost: .seconds(900))
      #expect(run.end == .exited(0), "\(run.errors.suffix(2000))")
      #expect(run.text.contains("pi is about 3.14"))
    }
  }
}
