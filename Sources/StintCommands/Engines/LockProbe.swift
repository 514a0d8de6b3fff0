import Glibc
import StintCore
import StintRuntime

/// One of several processes on different nodes that look whether they see each other's locks.
///
/// Each has a file of its own in one folder and holds the lock on it until the others have said
/// that they saw it. A file's size says how far its owner is, because a file server shows what
/// another node wrote when the file is opened.
struct LockProbe {
  /// What one of them found.
  struct Report: Hashable, Sendable {
    var node: String
    /// How many of the others it saw to have written.
    var met = 0
    /// How many locks of the others it saw.
    var seen = 0
    /// Why it could not look.
    var problem: String?
  }

  /// The verb that runs one.
  static let verb = "lock-probe"
  /// How many there can be.
  static let counts = 2...64

  private static let isHere = 1
  private static let hasSeenAll = 2
  /// The time between two looks.
  private static let look = Duration.milliseconds(50)

  /// The folder, in which ``prepare(_:for:in:)`` made the files.
  let path: String
  /// Which of them this is, from 0.
  let rank: Int
  /// How many there are.
  let count: Int
  var node: String
  var patience = Duration.seconds(20)
  var fileSystem: any FileSystem = PosixFileSystem()

  /// The probe that the words of its verb ask for, on a node that Slurm has started it on; nil if
  /// there is none.
  init?(_ words: [String], environment: [String: String], node: String) {
    guard words.count == 2, let count = Int(words[1]), Self.counts.contains(count),
      let rank = environment["SLURM_PROCID"].flatMap({ Int($0) }), (0..<count).contains(rank)
    else { return nil }
    self.init(path: words[0], rank: rank, count: count, node: node)
  }

  init(path: String, rank: Int, count: Int, node: String) {
    (self.path, self.rank, self.count, self.node) = (path, rank, count, node)
  }

  private static func name(_ rank: Int) -> String { "lock-\(rank)" }

  /// Makes the files of all.
  static func prepare(
    _ count: Int, in folder: OpenFile, of fileSystem: any FileSystem
  ) throws(StintError) {
    for rank in 0..<count {
      fileSystem.close(try fileSystem.openFile(name(rank), in: folder, .create))
    }
  }

  /// Removes the files of all.
  static func remove(_ count: Int, in folder: OpenFile, of fileSystem: any FileSystem) {
    for rank in 0..<count { try? fileSystem.remove(name(rank), in: folder) }
  }

  /// Looks until everything is seen, by the others, too, or the time is over.
  func run() -> Report {
    var report = Report(node: node)
    do throws(StintError) {
      let folder = try fileSystem.openDirectory(at: path)
      defer { fileSystem.close(folder) }
      try look(in: folder, &report)
    } catch {
      report.problem = error.message
    }
    return report
  }

  private func look(in folder: OpenFile, _ report: inout Report) throws(StintError) {
    let own = try fileSystem.openFile(Self.name(rank), in: folder, .update)
    defer { fileSystem.close(own) }
    guard try fileSystem.lock(own) else {
      report.problem = "the lock on \(own.path) is held by somebody else"
      return
    }
    try say(Self.isHere, in: own)
    let others = (0..<count).filter { $0 != rank }
    let end = BootClock.now.advanced(by: patience)
    var (met, seen): (Set<Int>, Set<Int>) = ([], [])
    while true {
      var satisfied = 0
      for other in others {
        let file = try fileSystem.openFile(Self.name(other), in: folder, .update)
        defer { fileSystem.close(file) }
        let said = try fileSystem.status(of: file).sizeBytes
        if said >= Self.isHere { met.insert(other) }
        if said >= Self.hasSeenAll { satisfied += 1 }
        if try fileSystem.isLocked(file), seen.insert(other).inserted, seen.count == others.count {
          try say(Self.hasSeenAll, in: own)
        }
      }
      (report.met, report.seen) = (met.count, seen.count)
      if seen.count == others.count, satisfied == others.count { return }
      guard BootClock.now < end else { return }
      poll(nil, 0, Int32(Self.look.nanoseconds / 1_000_000))
    }
  }

  private func say(_ step: Int, in file: OpenFile) throws(StintError) {
    try fileSystem.writeAll(file, [UInt8](repeating: 0x53, count: step), at: 0)
    try fileSystem.synchronize(file)
  }
}

extension LockProbe.Report {
  /// The report as a line of JSON.
  var line: String {
    var json = JSONLine()
    json.add("node", node)
    json.add("met", met)
    json.add("seen", seen)
    json.add("problem", problem)
    return json.line
  }

  /// Reads a line; nil if it is not one of these.
  init?(line: Substring) {
    guard let object = try? JSONObject(Array(line.utf8)), let node = object["node"]?.text,
      let met = object["met"]?.integer(Int.self), let seen = object["seen"]?.integer(Int.self)
    else { return nil }
    self.init(node: node, met: met, seen: seen, problem: object["problem"]?.text)
  }
}
