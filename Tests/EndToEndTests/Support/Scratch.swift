import Foundation
import Glibc
import Testing

/// A fresh directory with its own jobs; removed when nobody holds it any more.
final class Scratch: Sendable {
  let path: String

  /// A folder in memory, where no disk can stall what a test times; where there is too little of
  /// it, the one for temporary files.
  private static let memory: String = {
    var status = statvfs()
    let hasRoom =
      statvfs("/dev/shm", &status) == 0 && status.f_bavail * status.f_frsize > 1 << 30
    return hasRoom ? "/dev/shm" : NSTemporaryDirectory()
  }()

  init(inMemory: Bool = false) throws {
    let parent = inMemory ? Self.memory : NSTemporaryDirectory()
    var template = Array((parent + "/stint-e2e-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
    // Links above it are resolved, so that paths compare equal with those that the program prints.
    let made = String(decoding: bytes, as: UTF8.self)
    path = URL(fileURLWithPath: made).resolvingSymlinksInPath().path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Where the jobs of this directory live.
  var jobs: String { path + "/jobs" }

  /// The path of a name in this directory.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: self(name)))
  }

  func text(_ name: String) -> String {
    (try? bytes(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Writes a file, which may be a program: no child of a test beside this one keeps it open.
  func write(_ text: String, to name: String) throws {
    let descriptor = open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      .write(contentsOf: Data(text.utf8))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: self(name))
  }

  /// The names in a folder, sorted; empty if there is none.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: self(folder))) ?? []).sorted()
  }

  /// The one job in this directory, as a name below it; nil before there is one.
  var job: String? {
    names(in: "jobs").first { $0.contains("-") }.map { "jobs/" + $0 }
  }

  /// The key of the one job.
  var key: String {
    get throws { String(try #require(job).dropFirst("jobs/".count)) }
  }

  /// The journal of the one job; empty before there is one.
  var journal: Journal { Journal(text: job.map { text($0 + "/journal.jsonl") } ?? "") }
}
