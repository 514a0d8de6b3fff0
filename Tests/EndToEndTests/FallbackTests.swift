import Foundation
import Testing

extension EndToEnd {
  @Suite(
    "What a file system cannot do, injected into system calls",
    .enabled(if: Strace.mayTrace, Comment(rawValue: Strace.reason)))
  struct FallbackTests {
    private static let run = ["run", "fibonacci", "1000000", "--output", "f", "--budget", "60s"]

    @Test("R18 without RENAME_NOREPLACE the result stands under its name, and nothing beside it")
    func exclusiveRenaming() async throws {
      let scratch = try Scratch()
      try await scratch.start(Self.run, with: "renameat2:error=EINVAL", at: []).wait().expectExit(0)
      #expect(scratch.text("strace").contains("(INJECTED)"))
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 1_000_000))
      let left = scratch.names(in: "").filter { $0.hasSuffix(".stint") }
      #expect(left == [])
    }
  }
}
