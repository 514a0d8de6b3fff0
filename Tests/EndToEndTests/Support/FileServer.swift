import Foundation
import Glibc
import Testing

/// A file server that a test can stop: bindfs(1), which serves a folder under another name (FUSE).
final class FileServer {
  private static let path = "/usr/bin/bindfs"

  /// Whether it is there and may mount: neither is certain in a container.
  static let mayMount: Bool = {
    guard FileManager.default.isExecutableFile(atPath: path), let scratch = try? Scratch(),
      let server = try? FileServer(starting: scratch)
    else { return false }
    defer { server.end() }
    while !server.isMounted, !server.process.hasEnded { usleep(2_000) }
    return server.isMounted
  }()

  /// Why a test is skipped where it may not.
  static let reason: Comment = "bindfs is not there, or may not mount here"

  private let scratch: Scratch
  private let process: StintProcess

  init(in scratch: Scratch) async throws {
    self.scratch = scratch
    process = try Self.start(in: scratch)
    try await process.wait(until: "the mount") { isMounted }
    try #require(isMounted, "\(process.errorsSoFar)")
  }

  private init(starting scratch: Scratch) throws {
    self.scratch = scratch
    process = try Self.start(in: scratch)
  }

  private static func start(in scratch: Scratch) throws -> StintProcess {
    try scratch.makeFolder("disk")
    try scratch.makeFolder("mount")
    return try StintProcess([path, "-f", scratch("disk"), scratch("mount")], in: scratch)
  }

  private var isMounted: Bool {
    var (outside, inside) = (stat(), stat())
    return stat(scratch.path, &outside) == 0 && stat(scratch("mount"), &inside) == 0
      && outside.st_dev != inside.st_dev
  }

  /// From now on it answers nothing.
  func stop() { process.send(SIGSTOP) }

  /// Lets it answer again, and takes the mount away.
  func end() {
    process.send(SIGCONT)
    process.send(SIGTERM)
    while !process.hasEnded { usleep(2_000) }
  }
}
