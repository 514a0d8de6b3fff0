import Foundation
import Glibc
import Stint
import StintCommands
import StintCore

/// What many short commands cost through the queue of a machine, beside task-spooler, which keeps
/// its list in memory.
struct QueueBenchmark {
  let options: BenchOptions

  private var count: Int { options.quick ? 5 : 100 }
  private var rounds: Int { options.rounds ?? (options.quick ? 1 : 11) }

  /// Measures both in turn, from the first submission to the last end.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if a program is missing or fails.
  func figures() throws -> [Figure] {
    let scratch = try ScratchDirectory(below: options.directory)
    defer { withExtendedLifetime(scratch) {} }
    let stint = try StrippedProgram.copy("stint", into: scratch.path)
    var subjects = [QueueSubject(stint: stint, folder: scratch.path, isOurs: true)]
    if ChildProcess.installed(["tsp"]) == nil {
      Console.say("task-spooler is left out: tsp is not installed.")
    } else {
      subjects.append(QueueSubject(stint: stint, folder: scratch.path, isOurs: false))
    }
    // The first of each reads its files from the disk.
    for subject in subjects { _ = try subject.milliseconds(count) }
    let times = try Interleaving.run(subjects, rounds: rounds) { try $0.milliseconds(count) }
    var figures: [Figure] = []
    if let own = times[subjects[0]], let others = subjects.dropFirst().first.flatMap({ times[$0] })
    {
      let figure = Figure.timeRatio(
        "queueTimeRatio", "\(count) commands through the queue: time over task-spooler", own,
        over: others, gate: 3, goal: 1)
      // Stint waits for the disk before it says that a request is taken, and that it is done.
      figures.append(scratch.isMemory ? figure.notJudged() : figure)
    }
    for subject in subjects {
      guard let sample = times[subject].map({ Sample($0) }) else { continue }
      let name = subject.isOurs ? "Stint" : "TaskSpooler"
      figures.append(
        Figure(
          "queue\(name)Milliseconds", "\(count) commands: \(subject.words)", .milliseconds,
          sample.median, of: sample))
    }
    return figures
  }
}

/// A queue that runs two commands at a time.
struct QueueSubject: Hashable {
  let stint: String
  let folder: String
  let isOurs: Bool

  var words: String { isOurs ? "stint submit, serve -j 2" : "tsp -S 2" }

  /// The time of commands that do nothing, each submitted by a process of its own.
  func milliseconds(_ count: Int) throws -> Double {
    let (jobs, socket) = (folder + "/queue", folder + "/socket")
    try? FileManager.default.removeItem(atPath: jobs)
    let variables = ["STINT_JOBS": jobs, "TS_SOCKET": socket, "TMPDIR": folder]
    let server =
      isOurs ? try ChildProcess(stint, ["serve", "-j", "2"], variables: variables) : nil
    if !isOurs { try run("tsp", ["-S", "2"], variables) }
    defer {
      if !isOurs { try? run("tsp", ["-K"], variables) }
      if let server {
        server.send(SIGTERM)
        _ = server.wait()
      }
    }
    // It listens when it has made its folder.
    while isOurs, access(jobs + "/requests/served", F_OK) != 0 { usleep(1_000) }
    let began = BootClock.now
    for _ in 0..<count {
      try run(
        isOurs ? stint : "tsp",
        isOurs ? ["submit", "--engine", "local", "--quiet", "--", "/bin/true"] : ["/bin/true"],
        variables)
    }
    if isOurs {
      for number in 1...count {
        while !isDone(jobs + "/requests/\(number)/request.json") { usleep(500) }
      }
    } else {
      try run("tsp", ["-w"], variables)
    }
    return began.duration(to: BootClock.now).inSeconds * 1e3
  }

  private func isDone(_ path: String) -> Bool {
    ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").contains("\"state\":\"done\"")
  }

  private func run(_ program: String, _ words: [String], _ variables: [String: String]) throws {
    let child = try ChildProcess(
      program, words, variables: variables, output: ("/dev/null", "/dev/null"))
    guard child.wait().end == .exited(0) else {
      throw StintError(.unavailable, "\(program) \(words.joined(separator: " ")) has failed.")
    }
  }
}

extension BenchVerb {
  static let queue = BenchVerb(
    specification: .measuring(
      "queue", "Many short commands through stint serve, beside task-spooler",
      options: [BenchOptions.directory])
  ) { parsed in
    let options = try BenchOptions(parsed)
    return try options.measure("queue") { _ in
      try QueueBenchmark(options: options).figures()
    }
  }
}
