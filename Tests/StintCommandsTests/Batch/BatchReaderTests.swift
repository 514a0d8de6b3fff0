import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Lines of a batch")
struct BatchReaderTests {
  private static func read(
    _ text: String, directory: String = "/", json: Bool = false
  ) throws(StintError) -> BatchReader.Reading {
    var surroundings = CommandLine.surroundings
    surroundings.workingDirectory = directory
    return try BatchReader(lines: LineReader(surroundings: surroundings, needsOutput: json))
      .read(Array(text.utf8), from: "jobs.txt")
  }

  private static func refusal(_ text: String, json: Bool = false) -> String {
    do throws(StintError) {
      _ = try read(text, json: json)
      Issue.record("accepted: \(text)")
      return ""
    } catch {
      #expect(error.code == .usage)
      return error.message
    }
  }

  @Test("a line is a command line of run or exec, with or without those words before it")
  func kinds() throws {
    let jobs = try Self.read(
      """
      fibonacci 10
      stint run fibonacci 20 --format hex
      run image in.tif out.png --filter invert
      exec --checkpoint-file s -- echo 'a b' --budget
      stint exec echo c
      """
    ).jobs
    #expect(jobs.map(\.verb) == [.run, .run, .run, .exec, .exec])
    #expect(jobs.map(\.number) == [1, 2, 3, 4, 5])
    #expect(jobs[1].words == ["fibonacci", "20", "--format", "hex"])
    #expect(jobs[3].words == ["--checkpoint-file", "s", "--", "echo", "a b", "--budget"])
    #expect(jobs[3].title == "exec --checkpoint-file s -- echo 'a b' --budget")
    #expect(jobs[2].key.hasPrefix("image-"))
    #expect(jobs.allSatisfy { JobKey.isKey($0.key) })
  }

  @Test("R11 a line is known by what it is and where it is run, and not by its number")
  func keys() throws {
    func key(_ line: String, _ directory: String = "/", below: Int = 0) throws -> String {
      let text = String(repeating: "# \n", count: below) + line
      return try Self.read(text, directory: directory).jobs[0].key
    }
    #expect(try key("exec -- a b") == key("exec   -- 'a' \"b\" # comment", below: 7))
    #expect(try key("exec -- a b") != key("exec -- 'a b'"))
    #expect(try key("exec -- a b") != key("exec -- b a"))
    #expect(try key("exec -- a b") != key("exec -- a b", "/tmp"))
    // A job of its own is known by its own key, however it is written.
    #expect(try key("fibonacci 1e3 -o /tmp/f") == key("run fibonacci --output /tmp/f 1000"))
    #expect(try key("fibonacci 10 -o /tmp/f") == key("fibonacci 10 -o /tmp/f --threads 3"))
    #expect(try key("fibonacci 10 -o /tmp/f") != key("fibonacci 10 -o /tmp/g"))
    #expect(try key("fibonacci --sequence 1..5") != key("fibonacci 5"))
  }

  @Test("lines that are the same job run once, and that is said")
  func repeated() throws {
    let reading = try Self.read("fibonacci 5\nexec -- a\n\nfibonacci 5\nexec a\nexec -- a\n")
    #expect(reading.jobs.map(\.number) == [1, 2, 5])
    #expect(reading.notices.count == 2)
    #expect(reading.notices[0].contains("Line 4") && reading.notices[0].contains("line 1"))
    let many = try Self.read(String(repeating: "exec -- a\n", count: 40))
    #expect(many.jobs.count == 1)
    #expect(many.notices.count == 6)
  }

  @Test("all wrong lines are told, in their order, and nothing is run")
  func wrong() {
    let message = Self.refusal(
      """
      fibonacci ten
      fibonacci 10
      fibonaci 10
      exec --
      fibonacci 10 > f
      image
      fibonacci 7 --outptu f
      """)
    let lines = message.split(separator: "\n")
    #expect(lines.count == 7, "\(message)")
    #expect(lines[0].contains("6 lines") && lines[0].contains("nothing was started"))
    #expect(lines[1].contains("Line 1: N"))
    #expect(lines[2].contains("Line 3") && lines[2].contains("Did you mean fibonacci?"))
    #expect(lines[3].contains("Line 4") && lines[3].contains("command is missing"))
    #expect(lines[4].contains("Line 5: column 14"))
    #expect(lines[5].contains("Line 6"))
    #expect(lines[6].contains("did you mean --output?"))
  }

  @Test(
    "what the batch decides for all lines is refused in a line",
    arguments: [
      "fibonacci 5 --budget 3s", "fibonacci 5 --until 06:00", "fibonacci 5 --jobs-dir /x",
      "fibonacci 5 --until-done --budget 3s", "image a b --lead=3s", "exec --budget=5s -- a",
      "exec --stop-grace 5s a", "fibonacci 5 --unfinished-exit-code 9", "fibonacci 5 --dry-run",
      "fibonacci 5 --deadline-file end", "exec --deadline-file end -- a", "fibonacci 5 --no-engine",
    ])
  func shared(line: String) {
    #expect(Self.refusal(line).contains("applies to the whole batch"), "\(line)")
  }

  @Test(
    "a command's own limit of time is refused, and what only makes sense for one alone",
    arguments: [
      ("exec 30s make", "timeout 30s COMMAND"), ("exec -k 5 1.5m make", "timeout 1.5m COMMAND"),
      ("exec --suspend make", "does not work in a batch"),
      ("exec -f make", "does not work in a batch"),
      ("exec --max-restarts 3 make", "--until-done"), ("exec -s NOSUCH make", "not a signal"),
    ])
  func commandLimits(line: String, words: String) {
    #expect(Self.refusal(line).contains(words), "\(line)")
  }

  @Test("two lines with one result are refused, and standard output is JSON's or the results'")
  func outputs() throws {
    #expect(
      Self.refusal(
        "fibonacci 5 -o /tmp/stint-no-such-result\nfibonacci 6 -o /tmp/stint-no-such-result"
      ).contains("of line 1 too"))
    #expect(Self.refusal("fibonacci 5", json: true).contains("--output"))
    #expect(Self.refusal("image a.tif - --format png", json: true).contains("a file for OUT"))
    #expect(try Self.read("exec -- a", json: true).jobs.count == 1)
  }

  @Test(
    "two image lines with one result are refused, however the result is written",
    arguments: [
      "image a.tif /tmp/x.png\nimage b.tif /tmp/x.png",
      "image a.tif /tmp/x.png --filter invert\nimage a.tif /tmp/x.png",
      "image a.tif /tmp/x.png\nimage b.tif --filter invert -o /tmp/../tmp/./x.png",
      "image a.tif -o /tmp/x.png\nimage --output=/tmp//x.png b.tif",
      "image a.tif /tmp/x.png\nfibonacci 5 --output /tmp/x.png",
      "fibonacci 5 --output /tmp/x.png\nrun image a.tif /tmp/./x.png",
      "image a.tif b.tif --output-dir /tmp\nimage c.tif /tmp/b.tif",
      "image /in/a.tif --output-dir /tmp/\nimage /other/a.tif --output-dir /usr/../tmp --filter invert",
      "image a.tif --output-dir /tmp --suffix -s --format png\nimage b.tif /tmp/a-s.png",
      "image a.tif --frames --output-dir /tmp\nimage /b/a.tif --frames --output-dir /tmp",
    ])
  func imageOutputs(lines: String) {
    let message = Self.refusal(lines)
    #expect(message.contains("Line 2") && message.contains("of line 1 too"), "\(message)")
  }

  @Test(
    "lines that work on one set of images with other inputs are refused, and so is a list from standard input",
    arguments: [
      (
        "--recursive in --output-dir /tmp --filter invert",
        "--files-from l --output-dir /tmp/. --filter invert"
      ),
      ("a.tif --output-dir /tmp", "b.tif --output-dir /usr/../tmp --delete-orphans"),
      ("a.tif --output-dir /tmp", "b.ppm --output-dir /tmp --trust ppm"),
      (
        "--recursive in --exclude x --output-dir /tmp",
        "--recursive in --on-collision number --output-dir /tmp"
      ),
      ("a.tif --output-dir /tmp --format png", "--format=png b.tif --output-dir /tmp"),
    ])
  func sameSet(first: String, second: String) {
    let message = Self.refusal("image \(first)\nimage \(second)")
    #expect(message.contains("Line 2: This line and line 1 make one set"), "\(message)")
    #expect(Self.refusal("image --files-from - --output-dir /tmp").contains("standard input"))
  }

  @Test("image lines with results of their own are accepted, and the batch knows where they are")
  func imageResults() throws {
    let jobs = try Self.read(
      """
      image a.tif /tmp/x.png
      image a.tif -o /tmp/../tmp/y.png --threads 2
      image a.tif - --format png
      image a.tif - --format png --filter invert
      image a.tif b.tif --output-dir /tmp
      image a.tif b.tif --output-dir /tmp --suffix -small
      image a.tif --output-dir /tmp --format png
      image a.tif --output-dir /tmp --frames
      image --recursive in --output-dir /tmp --suffix -1 --shard 1/2
      image --recursive in --output-dir /tmp --suffix -1 --shard 2/2
      image --recursive in --output-dir /tmp --suffix -1 --filter invert --filter sharpen
      image --recursive in --output-dir /tmp --suffix -1 --filter sharpen --filter invert
      """
    ).jobs
    let known: [FilePath] = ["/tmp/x.png", "/tmp/y.png"]
    #expect(jobs.map(\.outputPath) == known + [FilePath?](repeating: nil, count: 10))
    #expect(jobs[1].gives == ["output", "threads"])
    #expect(jobs[4].results == ["/tmp/a.tif", "/tmp/b.tif"])
    #expect(jobs[5].results == ["/tmp/a-small.tif", "/tmp/b-small.tif"])
  }

  @Test(
    "an image line whose options or result's place cannot be right is told before anything starts",
    arguments: [
      ("image a.tif", "OUT is missing"), ("image a.tif b.png --fliter invert", "--filter"),
      ("image a.tif /nowhere/at/all/b.png", "/nowhere/at/all"), ("image a.tif /tmp", "directory"),
      ("image a.tif b.png --budg=3s", "applies to the whole batch"),
    ])
  func imageForm(line: String, words: String) {
    let message = Self.refusal(line)
    #expect(message.contains(words), "\(message)")
  }

  @Test("what the batch gives stands before the words of the line, and never twice")
  func arguments() throws {
    let jobs = try Self.read("fibonacci --threads 3 -- 5\nexec -- a --threads 3\nfibonacci 7").jobs
    let settings = try CommandLine.settings(
      ofBatch: ["--stop-grace", "4020ms", "--jobs-dir", "/j"])
    let budget = BatchBudget(time: .seconds(2), lead: .milliseconds(500))
    let first = jobs[0].arguments(settings, budget: budget, startsOver: false)
    #expect(first.first == "run")
    #expect(first.suffix(5) == ["fibonacci", "--threads", "3", "--", "5"])
    #expect(first.count { $0 == "--threads" } == 1)
    #expect(!first.contains("--fresh"))
    let text = first.joined(separator: " ")
    // It is granted its time in a conversation.
    #expect(!text.contains("--budget"))
    let command = jobs[1].arguments(settings, budget: budget, startsOver: false)
    #expect(command.first == "exec")
    #expect(command.joined(separator: " ").contains("--budget 2000000000ns --lead 500000000ns"))
    #expect(text.contains("--events \(BatchLaunch.eventsPlace)"))
    #expect(command.suffix(4) == ["--", "a", "--threads", "3"])
    let last = jobs[2].arguments(settings, budget: nil, startsOver: true)
    #expect(last.contains("--fresh") && !last.contains("--budget"))
    // They are options that the program takes.
    let parsed = try CommandLine.parsed(
      first.map { $0 == BatchLaunch.eventsPlace ? "/dev/null" : $0 })
    let options = try RunOptions(parsed.options, in: CommandLine.surroundings)
    #expect(options.time.isUnlimited)
    #expect(options.time.stopGrace == .seconds(4))
    #expect(options.threads == 3)
  }
}
