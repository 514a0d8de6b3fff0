import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Names of many images on disk")
  struct ImageSetSyncTests {
    private static let inputs = ["in/a/b/x.tif", "in/a/y.tif", "in/z.tif"]
    private static let run = [
      "run", "image", "--recursive", "in", "--output-dir", "out", "--filter", "invert", "--quiet",
    ]

    private static func scratch() throws -> Scratch {
      let scratch = try Scratch()
      for input in inputs {
        let folder = URL(filePath: scratch(input)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Picture.write(to: input, in: scratch, width: 30, height: 20)
      }
      return scratch
    }

    /// What a whole run synchronizes and renames, in order: the words of each call, with the paths
    /// behind its descriptors.
    private static func calls(in scratch: Scratch) async throws -> [[String]] {
      let log = scratch("trace")
      let traced = [Strace.path, "-f", "-qq", "-y", "-o", log, "-e", "trace=fsync,renameat2"]
      try await StintProcess(traced + [Programs.stint()] + run, in: scratch).wait().expectExit(0)
      for input in inputs { #expect(scratch.exists("out" + input.dropFirst(2))) }
      return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
        line.split { " ()<>,\"".contains($0) }.map(String.init)
      }
    }

    private static func synchronized(_ path: String, in calls: [[String]]) -> [Int] {
      calls.indices.filter { calls[$0].contains("fsync") && calls[$0].contains(path) }
    }

    @Test(
      "R18 a result is on disk before it has its name, and its folders after it",
      .enabled(if: Strace.mayTrace, "\(Strace.reason)"))
    func namesAreSynchronized() async throws {
      let scratch = try Self.scratch()
      let calls = try await Self.calls(in: scratch)
      let root = scratch("out")
      var names: Set<String> = []
      for (index, call) in calls.enumerated() where call.contains("renameat2") {
        guard let temporary = call.first(where: { $0.hasPrefix(".stint-") }),
          let name = call.last(where: { $0.hasSuffix(".tif") }),
          var folder = call.last(where: { $0.hasPrefix(root) })
        else { continue }
        names.insert(name)
        let result = Self.synchronized("\(root)/\(temporary)", in: calls)
        #expect(result.contains { $0 < index }, "\(name)")
        while folder.hasPrefix(root) {
          let folders = Self.synchronized(folder, in: calls)
          #expect(folders.contains { $0 > index }, "\(folder) after \(name)")
          folder = URL(filePath: folder).deletingLastPathComponent().path
        }
      }
      #expect(names == ["x.tif", "y.tif", "z.tif"])
    }

    @Test(
      "R18 names of a run that was killed before they were on disk are there for good after the next",
      .enabled(if: Strace.mayTrace, "\(Strace.reason)"))
    func namesOfAKilledRun() async throws {
      let scratch = try Self.scratch()
      let killed = try await scratch.start(
        Self.run, with: "fsync:signal=SIGKILL:when=1", at: ["out/a/b"]
      ).wait()
      #expect(killed.end != .exited(0))
      #expect(scratch.exists("out/a/b/x.tif"))
      let calls = try await Self.calls(in: scratch)
      for folder in ["out/a/b", "out/a", "out"] {
        #expect(!Self.synchronized(scratch(folder), in: calls).isEmpty, "\(folder) in \(calls)")
      }
    }
  }
}
