import Glibc
import StintCommands
import StintCore

/// What it costs to run a command through `stint exec`, beside GNU `timeout` and beside starting it
/// oneself.
struct ExecBenchmark {
  let options: BenchOptions

  private var rounds: Int { options.rounds ?? (options.quick ? 3 : 300) }

  /// Measures all ways to start the command, one after the other in every round.
  func figures() throws -> [Figure] {
    let scratch = try ScratchDirectory(below: options.directory)
    defer { withExtendedLifetime(scratch) {} }
    let installed = try StrippedProgram.copy("stint", into: scratch.path)
    let subjects = ExecSubject.all(stint: installed)
    // The first of each reads its files from the disk.
    for subject in subjects { _ = try milliseconds(subject) }
    let times = try Interleaving.run(subjects, rounds: rounds) { try milliseconds($0) }
    guard let alone = subjects.first.flatMap({ times[$0] }),
      let timeout = subjects.first(where: { $0.name == "timeout" }).flatMap({ times[$0] })
    else { return [] }
    return subjects.enumerated().compactMap { index, subject in
      guard let own = times[subject] else { return nil }
      guard index > 0 else {
        let sample = Sample(own)
        return Figure(
          subject.name + "Milliseconds", subject.what, .milliseconds, sample.median, of: sample)
      }
      if subject.isOurs {
        let more = Sample(zip(own, timeout).map { $0 - $1 })
        return Figure(
          subject.name + "OverTimeoutMilliseconds", subject.what + ": more than timeout 60",
          .milliseconds, more.median, gate: 0.6, goal: 0.2, of: more,
          interval: more.interval(ofQuantile: 0.5))
      }
      let more = Sample(zip(own, alone).map { $0 - $1 })
      return Figure(
        subject.name + "MoreMilliseconds", subject.what + ": more than the command alone",
        .milliseconds, more.median, of: more)
    }
  }

  /// From before the start to when this process knows of the end.
  private func milliseconds(_ subject: ExecSubject) throws -> Double {
    let child = try ChildProcess(
      subject.words[0], Array(subject.words.dropFirst()), output: ("/dev/null", "/dev/null"))
    let (end, at, _) = child.wait()
    guard end == .exited(0) else {
      throw StintError(.unavailable, "\(subject.words.joined(separator: " ")) ended with \(end).")
    }
    return child.startedAt.duration(to: at).inSeconds * 1e3
  }
}

/// A way to start the command.
struct ExecSubject: Hashable {
  var name: String
  var what: String
  var words: [String]
  var isOurs = false

  /// The command alone, then those around it, in the order of a round.
  static func all(stint path: String) -> [ExecSubject] {
    // The least that can be started, so that what is measured is the wrapper.
    let command = "/bin/true"
    return [
      ExecSubject(name: "alone", what: "fork and exec alone", words: [command]),
      ExecSubject(name: "timeout", what: "timeout 60", words: ["timeout", "60", command]),
      ExecSubject(
        name: "execDuration", what: "stint exec 60", words: [path, "exec", "60", command],
        isOurs: true),
      ExecSubject(
        name: "execBudget", what: "stint exec --budget 60s",
        words: [path, "exec", "--budget", "60s", "--", command], isOurs: true),
      // What any verb of the program costs before it does anything.
      ExecSubject(name: "version", what: "stint --version", words: [path, "--version"]),
    ]
  }
}

extension BenchVerb {
  static let exec = BenchVerb(
    specification: .measuring(
      "exec", "What it costs to run a command through stint exec, beside GNU timeout")
  ) { parsed in
    let options = try BenchOptions(parsed)
    return try options.measure("exec") { _ in
      try ExecBenchmark(options: options).figures()
    }
  }
}
