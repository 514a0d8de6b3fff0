import StintCore
import Testing

@testable import StintCommands

@Suite("Record and script of a chain")
struct ChainRecordTests {
  private static func record() -> ChainRecord {
    var record = ChainRecord(
      launch: LaunchRecord(
        words: ["run", "fibonacci", "9", "-o", "it's\n$(x).txt"], directory: "/some where"),
      links: 50, options: ["--time=1:00:00"])
    record.followers[.finished] = .init(words: ["--time=1", "plot.sh"], state: .submitting)
    record.followers[.failed] = .init(words: ["say.sh"])
    (record.setup, record.sliceExitCode, record.linkJob) = ("module load x\n", 75, "120_3")
    (record.chains, record.place) = ("chains-0123456789abcdef", 7)
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

  @Test(
    "E3 the record of an array of chains is read as it was written, and not if it contradicts itself"
  )
  func array() throws {
    var record = Self.record()
    (record.chains, record.place) = (nil, nil)
    record.members = ChainArrayMachine(
      count: 9, atOnce: 3, handedOver: 5, active: [2, 5], ends: [.finished: 2, .died: 1],
      isStopped: true)
    record.unfinished = [4]
    #expect(try ChainRecord(contents: record.contents) == record)
    let text = String(decoding: record.contents, as: UTF8.self)
    for (old, new) in [
      ("\"handedOver\":5", "\"handedOver\":10"), ("\"handedOver\":5", "\"handedOver\":4"),
      ("[\"2\",\"5\"]", "[\"2\",\"6\"]"), ("\"atOnce\":3", "\"atOnce\":0"),
      ("\"finished\":2", "\"finished\":-2"), ("[\"4\"]", "[\"x\"]"),
    ] {
      #expect(text.contains(old))
      #expect(throws: (any Error).self, "\(new)") {
        try ChainRecord(contents: Array(text.replacing(old, with: new).utf8))
      }
    }
  }

  @Test("a chain that was built before slices ended with 0 keeps their status")
  func earlier() throws {
    var text = String(decoding: Self.record().contents, as: UTF8.self)
    text = text.replacing("\"sliceExitCode\":75,", with: "")
    #expect(try ChainRecord(contents: Array(text.utf8)).sliceExitCode == 75)
    let launch = LaunchRecord(words: ["run"], directory: "/")
    #expect(ChainRecord(launch: launch, links: 1, options: []).sliceExitCode == 0)
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
      ("\"sliceExitCode\":75", "\"sliceExitCode\":300"),
      ("chains-0123456789abcdef", "../chains-0123456789abcdef"),
    ] {
      #expect(text.contains(old))
      let damaged = text.replacing(old, with: new)
      #expect(throws: (any Error).self, "\(new)") {
        try ChainRecord(contents: Array(damaged.utf8))
      }
    }
  }

  private static func script(
    _ record: ChainRecord, program: String = "/opt/it's/stint", jobsPath: String = "/jobs $x"
  ) -> SlurmScript {
    SlurmScript(
      ChainHandOver(record: record, key: "chain-0a", program: program, jobsPath: jobsPath))
  }

  @Test("E9 the script says what it does, and holds the slices that wait where it cannot go on")
  func script() {
    var record = Self.record()
    record.setup = nil
    let lines = Self.script(record).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "#!/bin/sh")
    #expect(
      lines.last { !$0.isEmpty }
        == "exec '/opt/it'\\''s/stint' link --jobs-dir '/jobs $x' chain-0a 1")
    // The work's words are in a comment of one line.
    #expect(lines.filter { $0.contains("fibonacci") }.count == 1)
    #expect(lines.filter { $0.contains("fibonacci") }.allSatisfy { $0.hasPrefix("#") })
    #expect(
      lines.contains(
        "[ -d '/jobs $x/chain-0a' ] || stint_hold '/jobs $x/chain-0a cannot be reached'"))
  }

  @Test("E9 lines of --setup stand before the work, their words for sbatch before all commands")
  func setup() {
    var record = Self.record()
    record.setup = "#!/bin/bash -l\nmodule load a\n#SBATCH --mem=1G\nexport B=c\n"
    let lines = Self.script(record).text.split(separator: "\n").map(String.init)
    #expect(lines.first == "#!/bin/bash -l")
    let places = [
      "#SBATCH --mem=1G", "stint_hold() {", "module load a", "export B=c", "trap - EXIT",
    ].map {
      lines.firstIndex(of: $0)
    }
    #expect(!places.contains(nil) && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    #expect(lines.last?.hasPrefix("exec ") ?? false)
    record.setup = "module load a"
    #expect(Self.script(record).text.hasPrefix("#!/bin/bash\n"))
  }

  @Test("E3 one array is submitted, whose tasks follow each other")
  func command() {
    let words = Self.script(Self.record(), jobsPath: "/jobs 50%").command
    #expect(words.contains("--array=1-51%1"))
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
    #expect(try SbatchWords.split(text, of: "--sbatch") == words)
  }

  @Test(
    "words that end in the middle are refused, and those that only a shell understands",
    arguments: ["--x='y", "--x=$HOME", "a | b", "a\nb"])
  func torn(text: String) {
    #expect(throws: StintError.self) { try SbatchWords.split(text, of: "--sbatch") }
  }

  @Test(
    "words that conflict with a chain are refused by name, however sbatch lets one write them",
    arguments: [
      ("--array=1-3", "--array"), ("--arr 1-3", "--arr"), ("-a1-3", "-a"), ("-Ha 1-3", "-a"),
      ("--requeue", "--requeue"), ("--req", "--req"), ("-o x", "-o"), ("--output=x", "--output"),
      ("--open-mode=truncate", "--open-mode"), ("-W", "-W"), ("--wrap=true", "--wrap"),
      ("-M other", "-M"), ("-p low x.sh", "x.sh"), ("x.sh", "x.sh"), ("-- x.sh", "--"),
      ("--partition", "needs an argument"), ("-Hp", "needs an argument"),
    ])
  func conflicts(text: String, part: String) throws {
    let words = try SbatchWords.split(text, of: "--sbatch")
    let error = #expect(throws: StintError.self) { try SbatchWords.check(words, of: "--sbatch") }
    #expect(error?.message.contains(part) ?? false, "\(error?.message ?? "")")
  }

  @Test(
    "all other words go to sbatch, with their arguments after them or in them",
    arguments: [
      "-p low", "-plow -A lab --mem=8G", "--partition low --signal=USR1@60", "--exclusive -Hp low",
      "--no-requeue --nice=5 -J 'a b'", "--dependency afterok:12 --hold -N2 -n 4", "-e errors",
      "--comment --array",
    ])
  func others(text: String) throws {
    let words = try SbatchWords.split(text, of: "--sbatch")
    #expect(throws: Never.self) { try SbatchWords.check(words, of: "--sbatch") }
  }

  @Test(
    "a time limit is read in the forms of Slurm and of Stint, and given to Slurm in whole seconds",
    arguments: [
      ("60", 3600, "1:00:00"), ("90:30", 5430, "1:30:30"), ("01:00:00", 3600, "1:00:00"),
      ("1-12", 129_600, "36:00:00"), ("1-12:30", 131_400, "36:30:00"),
      ("1-0:0:30", 86_430, "24:00:30"), ("0:0:90", 90, "0:01:30"), ("07", 420, "0:07:00"),
      ("1s", 1, "0:00:01"), ("1h", 3600, "1:00:00"), ("61500ms", 62, "0:01:02"),
      ("100h", 360_000, "100:00:00"),
    ])
  func time(written: String, seconds: Int64, text: String) throws {
    let time = try SlurmTime(written, of: "--time")
    #expect(time.seconds == seconds && time.text == text)
  }

  @Test(
    "what is no limit is refused",
    arguments: [
      "", "0", "0:00", "00:00:00", "-1", "1-", "1:2:3:4", "1.5", "x", "5k", "999999999999999",
      "1--2", ":5", "UNLIMITED",
    ])
  func noTime(written: String) {
    #expect(throws: StintError.self) { try SlurmTime(written, of: "--time") }
  }

  @Test("where Slurm rounds to minutes, that is said")
  func rounding() throws {
    #expect(
      try SlurmTime("90s", of: "--time").notice?.contains("0:02:00, and not 0:01:30") ?? false)
    #expect(try SlurmTime("0:30", of: "--time").given == .seconds(60))
    #expect(try SlurmTime("2m", of: "--time").notice == nil)
  }
}
