import StintCore
import StintRuntime

extension Kind {
  /// A command with a checkpoint or progress file.
  static let exec = Kind(
    name: ExecJob.kind, form: .exec,
    runner: .itsVerb { record in
      "a command; run its original command line again: stint exec ... -- "
        + (record.parameters["command"] ?? "COMMAND")
    }, output: .itsOwn, keepsCheckpoints: false
  ) { parameters in "exec \(parameters["command"] ?? "?")" }
}

extension KindForm {
  /// A command in a line of a batch.
  static let exec = KindForm(word: "exec", verb: .exec, specification: .exec) {
    words, options, reader in
    let words = Array(words.dropFirst())
    let parsed = try OptionScanner.scan(words, options: options, stopsAtOperand: true)
    let gives = try reader.gives(parsed, options)
    guard let first = parsed.operands.first else {
      throw StintError(.usage, "The command is missing; write, for example: exec -- make all.")
    }
    // What makes sense only for one command with a terminal and a budget of its own.
    if let name = ["suspend", "foreground", "help"].first(where: gives.contains) {
      throw StintError(.usage, "--\(name) does not work in a batch; leave it out.")
    }
    if TimeoutDuration(first) != nil {
      throw StintError(
        .usage,
        "\(first.prefix(60)) is a duration, and the whole batch has one time limit; leave it out, or "
          + "write exec -- timeout \(first.prefix(60)) COMMAND.")
    }
    // As it will be run, so that its own numbers are held against the batch's.
    var time: [String] = []
    if let lead = reader.lead {
      time = [
        "--budget", "\((lead * 4 + .seconds(1)).nanoseconds)ns", "--lead", "\(lead.nanoseconds)ns",
      ]
    }
    let timed = time + words
    let exec = try ExecOptions(
      OptionScanner.scan(timed, options: options, stopsAtOperand: true),
      words: timed.map { Array($0.utf8) }, in: reader.surroundings)
    var job = BatchJob(verb: .exec, words: words, key: "", gives: gives)
    job.take(keys: reader.keys("exec", words, exec.terms), exec.terms)
    return job
  }
}
