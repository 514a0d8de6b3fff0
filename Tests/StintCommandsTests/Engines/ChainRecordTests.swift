import StintCore
import Testing

@testable import StintCommands

@Suite("Record and script of a chain")
struct ChainRecordTests {
  private static func record() -> ChainRecord {
    var record = ChainRecord(
      words: ["run", "fibonacci", "9", "-o", "it's\n$(x).txt"], directory: "/some where",
      links: 50, options: ["--time=1:00:00"])
    record.follower = ["--time=1", "plot.sh"]
    record.array = "120"
    record.state = .ended
    record.ending = .failed
    record.why = "Slice 3 ended with status 65."
    (record.link, record.isLinkOpen, record.durablePoints, record.deaths) = (3, true, 17, 2)
    return record
  }

  @Test("E3 what is written is what is read")
  func roundTrip() throws {
    let record = Self.record()
    #expect(try ChainRecord(contents: record.contents) == record)
  }

  @Test("E7 a record that is torn or was made by hand is refused, and never half believed")
  func hostile() throws {
    let whole = Self.record().contents
    for length in 0..<whole.count - 1 {
      #expect(throws: (any Error).self) { try ChainRecord(contents: Array(whole[..<length])) }
    }
    let text = String(decoding: whole, as: UTF8.self)
    for (old, new) in [
      ("\"formatVersion\":1", "\"formatVersion\":2"), ("\"links\":50", "\"links\":0"),
      ("\"array\":\"120\"", "\"array\":\"120;x\""), ("\"link\":3", "\"link\":-3"),
      ("\"state\":\"ended\"", "\"state\":\"gone\""), ("\"submission\":1", "\"submission\":0"),
    ] {
      #expect(text.contains(old))
      let damaged = text.replacing(old, with: new)
      #expect(throws: (any Error).self, "\(new)") {
        try ChainRecord(contents: Array(damaged.utf8))
      }
    }
  }

  private static let script = ChainScript(
    record: record(), program: "/opt/it's/stint", jobsPath: "/jobs $x", key: "chain-0a")

  @Test("the script says to people what it does, and gives a shell nothing of theirs")
  func script() {
    let lines = Self.script.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "#!/bin/sh")
    #expect(
      lines.last { !$0.isEmpty }
        == "exec '/opt/it'\\''s/stint' link --jobs-dir '/jobs $x' chain-0a 1")
    // The work's words are in a comment of one line.
    #expect(lines.filter { $0.contains("fibonacci") }.count == 1)
    #expect(lines.filter { !$0.isEmpty }.dropLast().allSatisfy { $0.hasPrefix("#") })
  }

  @Test("E3 one array is submitted, whose tasks follow each other")
  func command() {
    let words = Self.script.command(in: "/jobs 50%/chain-0a")
    #expect(words.contains("--array=1-50%1"))
    #expect(words.contains("--no-requeue"))
    #expect(words.contains("--open-mode=append"))
    #expect(words.contains("--output=/jobs 50%%/chain-0a/chain.log"))
    #expect(words.suffix(2) == ["--time=1:00:00", "/jobs 50%/chain-0a/chain.sh"])
  }

  @Test(
    "words for sbatch are split as by a shell, and nothing in them is expanded",
    arguments: [
      ("--partition=a --comment='x  y'", ["--partition=a", "--comment=x  y"]),
      ("--x='$HOME' --mail=a@b", ["--x=$HOME", "--mail=a@b"]), ("", []),
    ])
  func split(text: String, words: [String]) throws {
    #expect(try SubmitCommand.split(text, of: "--sbatch") == words)
  }

  @Test(
    "words that end in the middle are refused, and those that only a shell understands",
    arguments: ["--x='y", "--x=$HOME", "a | b", "a\nb"])
  func torn(text: String) {
    #expect(throws: StintError.self) { try SubmitCommand.split(text, of: "--sbatch") }
  }

  @Test(
    "a time limit is given to Slurm in whole seconds, never in less",
    arguments: [
      (Duration.seconds(1), "0:00:01"), (.seconds(3600), "1:00:00"),
      (.milliseconds(61_500), "0:01:02"), (.seconds(360_000), "100:00:00"),
    ])
  func time(duration: Duration, text: String) {
    #expect(SubmitCommand.slurmText(duration) == text)
  }
}
