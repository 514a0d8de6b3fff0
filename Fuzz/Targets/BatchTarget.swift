import StintCore

@testable import StintCommands

/// Batch files.
///
/// The input is the file. Its length decides whether the batch has a budget.
enum BatchTarget {
  // A name that is none takes the advice's table, two megabytes each in all, and a line can be two
  // bytes long. At one time there is one line's scan, beside the words of all.
  private static let allowance = Allowance(
    peakBytes: (fixed: 131_072, perByte: 2048), totalBytes: (fixed: 4 << 20, perByte: 1 << 20))

  static func examine(_ input: [UInt8]) {
    let lines = LineReader(
      surroundings: Surroundings(
        environment: ["HOME": "/home/user"], workingDirectory: "/work",
        wallTime: WallTime(
          nanosecondsSince1970: 1_795_246_242_123_456_789, calendar: .fixed(secondsFromUTC: 3600))),
      needsOutput: false, lead: input.count.isMultiple(of: 2) ? nil : .seconds(1))
    let reader = BatchReader(lines: lines)
    let jobs = allowance.measured(input.count) {
      let jobs = read(input, by: reader)
      if jobs?.isEmpty == false { Plant.accepted(input) }
      return jobs
    }
    guard let jobs else { return }
    Plant.rare(jobs.contains { $0.verb == .exec && $0.words.contains { $0.contains("/") } })
    require(Set(jobs.map(\.key)).count == jobs.count, "one job stands twice in \(jobs)")
    let numbers = jobs.map(\.number)
    require(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(numbers)")
    for job in jobs { checkTime(of: job) }
    checkRoundTrip(jobs, by: reader)
  }

  /// The jobs of a file, or nil if it is refused; every refusal is a usage error that says why.
  private static func read(_ bytes: [UInt8], by reader: BatchReader) -> [BatchJob]? {
    do {
      return try reader.read(bytes, from: "jobs").jobs
    } catch {
      require(error.code == .usage, "a wrong batch file is \(error.code): \(error)")
      require(error.message.contains("cannot be run"), "a refusal without words: \(error)")
      return nil
    }
  }

  /// Time belongs to the batch: no line may say how long it runs, or where jobs live.
  private static func checkTime(of job: BatchJob) {
    for name in ["budget", "until", "until-done", "jobs-dir", "policy"] {
      require(!job.gives.contains(name), "\(job.title) has a --\(name) of its own")
    }
  }

  /// The lines as they are shown are the same jobs.
  private static func checkRoundTrip(_ jobs: [BatchJob], by reader: BatchReader) {
    var lines = jobs.map(\.title)
    if Plant.spoils { lines.append("exec -- another") }
    let text = lines.joined(separator: "\n")
    guard var again = read(Array(text.utf8), by: reader) else {
      fatalError("what is shown cannot be read again:\n\(text)")
    }
    require(again.count == jobs.count, "\(jobs.count) jobs were shown as\n\(text)")
    for index in again.indices { again[index].number = jobs[index].number }
    require(again == jobs, "\(jobs)\nwere shown as\n\(text)")
  }
}
