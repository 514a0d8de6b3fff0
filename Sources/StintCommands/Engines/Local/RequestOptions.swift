import Glibc
import StintCore
import StintRuntime

extension OptionTable {
  static let after = OptionSpecification(
    "after", argument: "WHEN", group: .time,
    help:
      "Do not begin before this time, such as 02:00 or 2026-11-21T06:00, or so long from now: 2h")
  static let every = OptionSpecification(
    "every", argument: "TIME", group: .time,
    help: "When it is done, begin it again so long after it began, such as 6h")
  static let needs = OptionSpecification(
    "needs", argument: "LIST", group: .work, isRepeatable: true,
    help:
      "Begin only with these, separated by commas: network and external-power, whose loss also "
      + "ends the run; idle (load below half a processor), memory=4G, disk=20G")
  static let priority = OptionSpecification(
    "priority", argument: "N", group: .work,
    help: "Of several that are due, the highest priority begins first (default 0)")
  static let afterJob = OptionSpecification(
    "after-job", argument: "JOB", group: .work, help: "Begin only when JOB is finished")
  static let env = OptionSpecification(
    "env", argument: "NAME", group: .work, isRepeatable: true,
    help:
      "Begin only where the variable NAME is set, as it is there; values are never written down")
  static let requestName = OptionSpecification(
    "name", argument: "NAME", group: .jobs,
    help: "What to call the request: every verb finds it by this name")

  /// What the queue of this machine knows of a request, and no other engine.
  static let ofRequest = [after, every, needs, priority, afterJob, env, requestName]
}

/// What a command line says of a request in the queue of this machine, and the same as words that
/// are written down of a chain.
enum RequestOptions {
  /// The load of each processor below which the machine is idle.
  private static let idleLoad = 0.5
  /// A shorter time could not hold the least lead and a chunk.
  private static let leastTime = Duration.milliseconds(100)
  private static let units: [Character: Int64] = [
    "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
  ]
  /// What submits, if that is no person.
  static let originVariable = "STINT_ORIGIN"
  /// The same in words; no option of a command line.
  private static let origin = OptionSpecification(
    "origin", argument: "MARK", group: .general, help: "")
  private static let options = [
    origin,
    OptionTable.after, OptionTable.every, OptionTable.needs, OptionTable.slurmTime,
    OptionTable.priority, OptionTable.afterJob, OptionTable.env, OptionTable.requestName,
  ]

  /// The options that a command line gives, as words that mean the same at any later time.
  ///
  /// - Throws: ``StintError`` with the code `usage` for what is none.
  static func words(
    _ parsed: ParsedOptions, in surroundings: Surroundings? = nil
  ) throws -> [String] {
    var words: [String] = []
    if let mark = surroundings?.environment[originVariable], !mark.isEmpty {
      words.append("\(origin.spelling)=\(mark)")
    }
    for option in options where parsed.gives(option) {
      if option.isRepeatable {
        words += parsed.texts(option.name).map { "\(option.spelling)=\($0)" }
      } else if option == OptionTable.after, let surroundings,
        let value = parsed.value(option.name)
      {
        words.append("\(option.spelling)=\(try instant(value, surroundings))")
      } else if let text = parsed.text(option.name) {
        words.append("\(option.spelling)=\(text)")
      }
    }
    _ = try terms(of: LaunchRecord(words: ["-"], directory: "/"), words)
    return words
  }

  /// Words with those of a line, which replace what they say anew.
  static func words(_ words: [String], replacedBy others: [String]) -> [String] {
    func option(_ word: String) -> Substring { word.prefix { $0 != "=" } }
    let replaced = Set(others.map(option))
    return words.filter { !replaced.contains(option($0)) } + others
  }

  /// Makes the terms of a request.
  ///
  /// - Parameters:
  ///   - launch: With what its work is started; the first word is an absolute path.
  ///   - words: The options, as ``words(_:in:)`` gives them.
  /// - Returns: The terms, for this machine.
  /// - Throws: ``StintError`` with the code `usage`.
  static func terms(of launch: LaunchRecord, _ words: [String]) throws -> RequestTerms {
    let parsed = try OptionScanner.scan(words, options: options)
    var terms = RequestTerms(
      launch: launch, submitted: .now, machine: MachineIdentity.current())
    terms.launch.variables = try variables(parsed)
    terms.origin = parsed.text(origin.name)
    terms.name = parsed.text("name")
    if let name = terms.name, !JobKey.isName(name) {
      throw StintError(
        .usage,
        "--name \(name.prefix(60)) is no name; write at most \(JobKey.longestName) letters, digits, dots, "
          + "underscores and hyphens.")
    }
    terms.earliestBegin = try parsed.value("after").map(Self.instant)
    terms.every = try parsed.duration("every", least: .seconds(1))
    try readNeeds(parsed, &terms.needs)
    terms.time = try parsed.duration("time", least: leastTime)
    terms.priority = try parsed.integer("priority", in: -1_000_000...1_000_000) ?? 0
    terms.afterJob = parsed.text("after-job")
    return terms
  }

  private static func variables(_ parsed: ParsedOptions) throws -> [String] {
    for name in parsed.texts("env") where name.isEmpty || name.contains("=") {
      throw StintError(
        .usage, "--env takes the name of a variable, and \"\(name.prefix(60))\" is none.")
    }
    return parsed.texts("env")
  }

  /// An instant as it is written down: `@` and nanoseconds since 1970.
  private static func instant(_ value: ParsedOptions.Value) throws -> WallInstant {
    guard let nanoseconds = Int64(value.text.dropFirst()) else {
      throw value.refusal("is no instant.")
    }
    return WallInstant(nanoseconds: nanoseconds)
  }

  private static func instant(
    _ value: ParsedOptions.Value, _ surroundings: Surroundings
  ) throws -> String {
    let now = surroundings.wallTime.nanosecondsSince1970
    let (instant, overflow) = now.addingReportingOverflow(
      try wait(value, surroundings).nanoseconds)
    return "@\(overflow ? Int64.max : instant)"
  }

  /// How long it is until a time: a time of day means the next one.
  private static func wait(
    _ value: ParsedOptions.Value, _ surroundings: Surroundings
  ) throws -> Duration {
    if let duration = try? Duration(text: value.text) { return duration }
    let wallTime = surroundings.wallTime
    do {
      return try UntilTime.remaining(
        value.text, nowNanoseconds: wallTime.nanosecondsSince1970, calendar: wallTime.calendar)
    } catch let error as StintError {
      throw StintError(
        error.code, error.message.replacing("--until", with: value.source), errno: error.errno)
    }
  }

  private static func readNeeds(_ parsed: ParsedOptions, _ needs: inout TaskRequest) throws {
    for word in parsed.texts("needs").flatMap({ $0.split(separator: ",") }) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch (parts[0], parts.count == 2 ? bytes(parts[1]) : nil) {
      case ("network", nil) where parts.count == 1: needs.requirements.insert(.network)
      case ("external-power", nil) where parts.count == 1:
        needs.requirements.insert(.externalPower)
      case ("idle", nil) where parts.count == 1: needs.mostLoad = idleLoad
      case ("memory", let bytes?): needs.leastMemory = bytes
      case ("disk", let bytes?): needs.leastDisk = bytes
      case _:
        throw StintError(
          .usage,
          "--needs \"\(word.prefix(60))\" is unknown. Write network, external-power, idle, memory=4G or "
            + "disk=20G, several with commas.")
      }
    }
  }

  /// A number of bytes, with K, M, G or T after it for powers of 1024.
  private static func bytes(_ text: Substring) -> Int64? {
    var digits = text
    var unit: Int64 = 1
    if let last = text.last, let known = units[Character(last.uppercased())] {
      unit = known
      digits = text.dropLast()
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int64(digits), number > 0
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : bytes
  }
}
