import Foundation
import Testing

extension EndToEnd {
  @Suite("The environment is bytes")
  struct EnvironmentTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("C8 variables reach the lines of a batch byte by byte")
    func variables() async throws {
      try scratch.write(
        "exec -- sh -c 'printf \"%s %s\" \"$BYTES\" \"${STINT_DEADLINE-none}\" >got'\n", to: "lines"
      )
      try await scratch.shell(
        "BYTES=$'\\xff\\xfe' STINT_DEADLINE=1 exec \"$STINT\" batch lines"
      ).expectExit(0)
      #expect(try scratch.bytes("got") == Data([0xFF, 0xFE] + " none".utf8))
    }

    @Test(
      "C8 a variable that is not UTF-8 is said where it would name the place of jobs, and only there",
      arguments: [
        ("STINT_JOBS=$PWD/$'j\\xff'", "$STINT_JOBS"),
        ("STINT_JOBS= HOME=$PWD/$'j\\xff'", "$HOME"),
        ("STINT_JOBS= XDG_STATE_HOME=$PWD/$'j\\xff'", "$XDG_STATE_HOME"),
      ])
    func placeOfJobs(variable: String, name: String) async throws {
      try scratch.write("fibonacci 5 -o g\n", to: "lines")
      for words in [
        "run fibonacci 5 -o f", "batch lines", "list", "exec --checkpoint-file c -- true",
        "submit --dry-run -- run fibonacci 5 -o f",
      ] {
        let run = try await scratch.shell("\(variable) exec \"$STINT\" \(words)")
        #expect([.exited(64), .exited(125)].contains(run.end), "\(words): \(run.errors)")
        #expect(run.errors.contains("\(name) \""), "\(words): \(run.errors)")
        #expect(run.errors.contains("not UTF-8"), "\(words): \(run.errors)")
        #expect(!scratch.names(in: ".").contains { $0.hasPrefix("j") }, "\(words)")
        try await scratch.shell("\(variable) exec \"$STINT\" exec --budget 9s -- true")
          .expectExit(0)
      }
      try await scratch.shell("\(variable) exec \"$STINT\" run fibonacci 5 -o f --jobs-dir here")
        .expectExit(0)
    }

    @Test(
      "a batch whose jobs have a place needs no HOME",
      arguments: ["STINT_JOBS=$PWD/jobs \"$STINT\"", "\"$STINT\" --jobs-dir jobs"])
    func noHome(start: String) async throws {
      try scratch.write("fibonacci 5 -o f\nexec --checkpoint-file c -- touch c\n", to: "lines")
      let words = start.replacing("\"$STINT\"", with: "\"$STINT\" batch lines")
      try await scratch.shell("exec env -i STINT=\"$STINT\" PATH=\"$PATH\" \(words)").expectExit(0)
      #expect(scratch.text("f") == "5\n" && scratch.exists("c"))
    }

    @Test("words that are not UTF-8 are not submitted as others")
    func submitted() async throws {
      try await scratch.shell("exec \"$STINT\" submit --dry-run -- exec --resumable echo $'\\xff'")
        .expectExit(64, saying: "not UTF-8")
    }
  }
}
