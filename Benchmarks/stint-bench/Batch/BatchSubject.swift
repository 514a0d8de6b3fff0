/// What runs a list of commands.
enum BatchSubject: String, CaseIterable {
  case stint, parallel

  /// The name for people.
  var words: String {
    switch self {
    case .stint: "stint batch"
    case .parallel: "GNU parallel"
    }
  }

  /// Those that take part; says why one does not.
  static func present(logs: String) -> [BatchSubject] {
    guard let reason = whyNotParallel(logs: logs) else { return allCases }
    Console.say("\(BatchSubject.parallel.words) is left out: \(reason).")
    return [.stint]
  }

  /// Why there is nothing to compare with; nil if there is.
  private static func whyNotParallel(logs: String) -> String? {
    guard ChildProcess.installed(["parallel"]) != nil else { return "parallel is not installed" }
    let version = ProgramCommand(program: "parallel", arguments: ["--version"])
    // Another program of this name is in moreutils.
    let isGNU = (try? CommandRun(version, logs: logs))?.output.hasPrefix("GNU parallel")
    return isGNU == true ? nil : "the installed parallel is another program"
  }

  /// Runs `true` with each value, two at a time, with the options that both have.
  ///
  /// - Parameters:
  ///   - values: What follows the command, one by one.
  ///   - stint: The program to measure.
  ///   - jobs: Where its jobs live.
  ///   - log: The file of the job log, in parallel's form.
  /// - Returns: The command line.
  func command(_ values: [String], stint: String, jobs: String, log: String) -> ProgramCommand {
    let shared = ["-j", "2", "--keep-order", "--tag", "--joblog", log]
    return switch self {
    case .stint:
      ProgramCommand(
        program: stint,
        arguments: ["batch", "--template", "true {}"] + shared
          + ["--joblog-format", "parallel", "--jobs-dir", jobs, "--quiet", ":::"] + values)
    case .parallel:
      ProgramCommand(
        program: "parallel", arguments: ["--will-cite"] + shared + ["true", "{}", ":::"] + values)
    }
  }
}
