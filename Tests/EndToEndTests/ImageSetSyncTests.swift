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

    /// The calls that make, rename and synchronize, in their order: each word of the call, with the
    /// paths behind its descriptors.
    private static func calls(of log: String) -> [[String]] {
      log.split(separator: "\n").map { line in
        line.split { " ()<>,\"".contains($0) }.map(String.init)
      }
    }

    @Test(
      "R18 a result is on disk before it has its name, and so are its folders after it, also those of a run that was killed",
      .enabled(if: Strace.mayTrace, "\(Strace.reason)"))
    func namesAreSynchronized() async throws {
      let scratch = try Scratch()
      for input in Self.inputs {
        let folder = URL(filePath: scratch(input)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Picture.write(to: input, in: scratch, width: 30, height: 20)
      }
      // Ended when a name in the deepest folder is there and nothing says that it will stay.
      let killed = try await scratch.start(
        Self.run, with: "fsync:signal=SIGKILL:when=1", at: ["out/a/b"]
      ).wait()
      #expect(killed.end != .exited(0))
      #expect(scratch.exists("out/a/b/x.tif"))

      let log = scratch("trace")
      let traced = [Strace.path, "-f", "-qq", "-y", "-o", log, "-e", "trace=fsync,renameat2"]
      let again = try await StintProcess(traced + [Programs.stint()] + Self.run, in: scratch)
        .wait()
      #expect(again.end == .exited(0), "\(again.errors)")
      let calls = Self.calls(of: try String(contentsOfFile: log, encoding: .utf8))
      func synchronized(_ path: String) -> [Int] {
        calls.indices.filter { calls[$0].contains("fsync") && calls[$0].contains(path) }
      }
      let root = try #require(realpath(scratch("out"), nil).map { String(cString: $0) })
      for folder in ["/a/b", "/a", ""] {
        #expect(!synchronized(root + folder).isEmpty, "\(root)\(folder) in \(calls)")
      }
      var names: Set<String> = []
      for (index, call) in calls.enumerated() where call.contains("renameat2") {
        guard let temporary = call.first(where: { $0.hasPrefix(".stint-") }),
          let name = call.last(where: { $0.hasSuffix(".tif") }),
          var folder = call.last(where: { $0.hasPrefix(root) })
        else { continue }
        names.insert(name)
        #expect(synchronized("\(root)/\(temporary)").contains { $0 < index }, "\(name)")
        while folder.hasPrefix(root) {
          #expect(synchronized(folder).contains { $0 > index }, "\(folder) after \(name)")
          folder = URL(filePath: folder).deletingLastPathComponent().path
        }
      }
      #expect(names == ["y.tif", "z.tif"])
      for input in Self.inputs { #expect(scratch.exists("out" + input.dropFirst(2))) }
    }
  }
}
