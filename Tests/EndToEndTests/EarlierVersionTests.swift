import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Work of each kind that an earlier version began; `Tests/Golden/README.md` has the rule.
  @Suite("Work that an earlier version began")
  struct EarlierVersionTests {
    @Test("R11 C5 it goes on from where it stood, to the same bytes", arguments: GoldenFolder.all)
    func goesOn(folder: GoldenFolder) async throws {
      let problems = try await GoldenCopy(of: folder).goOn()
      guard let words = try GoldenFolder.reasons()[folder.name] else {
        return #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
      }
      #expect(problems.contains { $0.contains(words) }, "\(problems.joined(separator: "\n"))")
    }

    @Test("the folders are all there, as they were made")
    func complete() async throws {
      #expect(GoldenFolder.versions.first == "0.1.0")
      for version in GoldenFolder.versions {
        let sums = "\(GoldenFolder.root)/\(version)/sha256sums"
        let listed = try String(contentsOfFile: sums, encoding: .utf8).split(separator: "\n").count
        #expect(GoldenFolder.all.count { $0.version == version } == listed)
        try await Scratch().shell(
          "cd '\(GoldenFolder.root)/\(version)' && sha256sum --quiet --check sha256sums"
        ).expectExit(0)
      }
      let names = Set(GoldenFolder.all.map(\.name))
      #expect(names.isSuperset(of: try GoldenFolder.reasons().keys))
    }

    enum Fault: CaseIterable {
      case otherVersionOfRecord, otherVersionOfCheckpoint, noCheckpoint, otherResult
    }

    @Test("C5 a version that reads it otherwise is found", arguments: Fault.allCases)
    func faults(fault: Fault) async throws {
      let folder = try #require(GoldenFolder.all.first { $0.kind == "fibonacci-doubling" })
      let copy = try await GoldenCopy(of: folder)
      let job = try #require(copy.jobs.first)
      switch fault {
      case .otherVersionOfRecord:
        let text = try String(contentsOfFile: job + "/job.json", encoding: .utf8)
        let other = text.replacing(#/"formatVersion" *: *1/#, with: "\"formatVersion\": 3")
        try #require(other != text)
        try other.write(toFile: job + "/job.json", atomically: true, encoding: .utf8)
      case .otherVersionOfCheckpoint:
        for path in copy.checkpoints(of: job) {
          var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
          bytes[8] += 1
          try bytes.write(to: URL(fileURLWithPath: path))
        }
      case .noCheckpoint:
        for path in copy.checkpoints(of: job) { unlink(path) }
      case .otherResult:
        try String(repeating: "0", count: 64).appending("  f\n")
          .write(toFile: copy.path + "/expected", atomically: true, encoding: .utf8)
      }
      #expect(try await !copy.goOn().isEmpty)
    }
  }
}

/// A folder in which a version began a job, as it is packed in the tree.
struct GoldenFolder: Sendable, CustomTestStringConvertible {
  static let root = Programs.root + "/Tests/Golden"

  let version: String
  let kind: String

  var name: String { "\(version)/\(kind)" }
  var testDescription: String { name }

  static let versions = names(in: root).filter { $0.first?.isNumber == true }
  static let all = versions.flatMap { version in
    names(in: "\(root)/\(version)").filter { $0.hasSuffix(".tar.gz") }
      .map { GoldenFolder(version: version, kind: String($0.dropLast(7))) }
  }

  private static func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// The folders that do not go on, and words of what the program says then.
  static func reasons() throws -> [String: String] {
    let lines = try String(contentsOfFile: root + "/not-resumed", encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      })
  }
}

/// A golden folder where it was made, which nobody else may use at the same time; removed at the
/// end.
final class GoldenCopy {
  let path: String
  private let scratch: Scratch
  private let lock: Int32

  init(of folder: GoldenFolder) async throws {
    path = "/tmp/stint-golden/" + folder.name
    scratch = try Scratch()
    lock = try await Self.locked(path)
    let archive = "\(GoldenFolder.root)/\(folder.name).tar.gz"
    // An older copy is that of a test that was killed.
    try await scratch.shell(
      """
      find '\(path)' -mindepth 1 -delete
      tar -xzf '\(archive)' --no-same-owner -C '\(path)/..'
      """
    ).requireExit(0)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }

  /// The folder as a descriptor that has its lock: made, if it is not there.
  private static func locked(_ path: String) async throws -> Int32 {
    while true {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      try await waitUntil("the end of another test in \(path)", atMost: .seconds(120)) {
        descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0
      }
      // Whoever had the lock may have removed the folder.
      var (held, named) = (stat(), stat())
      if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino {
        return descriptor
      }
      if descriptor >= 0 { close(descriptor) }
    }
  }

  /// The directories of the jobs.
  var jobs: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/jobs")
    return (names ?? []).sorted().map { "\(path)/jobs/\($0)" }
  }

  /// The checkpoints of a job, oldest first.
  func checkpoints(of job: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: job + "/checkpoints")
    return (names ?? []).filter { $0.hasSuffix(".ckpt") }.sorted()
      .map { "\(job)/checkpoints/\($0)" }
  }

  private func journal(of job: String) -> String {
    (try? String(contentsOfFile: job + "/journal.jsonl", encoding: .utf8)) ?? ""
  }

  /// Goes on with the work.
  ///
  /// - Returns: What is not as it should be.
  func goOn() async throws -> [String] {
    let before = jobs.map { (job: $0, journal: journal(of: $0), newest: newest(of: $0)) }
    let stint = try Programs.stint()
    let run = try await StintProcess(
      ["/bin/bash", "-c", "cd '\(path)' && exec ./again"], in: scratch,
      environment: ["STINT": stint, "STINT_JOBS": path + "/jobs"]
    ).wait(atMost: .seconds(120))
    var problems: [String] = []
    if run.end != .exited(0) { problems.append("\(run.end): \(run.text)\(run.errors)") }
    if before.isEmpty { problems.append("there is no job") }
    for (job, old, newest) in before {
      let new = journal(of: job)
      guard new.hasPrefix(old) else {
        problems.append("\(job) was begun anew: \(new)")
        continue
      }
      let added = Journal(text: String(new.dropFirst(old.count)))
      let isFinished = !Journal(text: old).all("finished").isEmpty
      if !isFinished, added.all("stintBegan").isEmpty {
        problems.append("\(job) was not taken up: \(new)")
      }
      if !isFinished, let newest,
        added.all("stintBegan").first?.restoredSequence != newest
      {
        problems.append("\(job) did not go on from checkpoint \(newest): \(new)")
      }
    }
    return problems
  }

  private func newest(of job: String) -> UInt64? {
    checkpoints(of: job).last.flatMap { path in
      UInt64((path as NSString).lastPathComponent.prefix { $0 != "." })
    }
  }
}
