import Foundation
import Stint
import Testing

extension EndToEnd {
  @Suite("Sets of images of an older version")
  struct ImageSetTakeoverTests {
    /// Makes of the one job what an older version would have left: inputs in its key, and a ledger
    /// with their number and without a list.
    private static func age(_ scratch: Scratch, count: Int) throws {
      let job = try #require(scratch.job)
      let lines = scratch.text(job + "/partial/set").split(separator: "\n").dropFirst()
      var head = JSONLine()
      head.add("event", "set")
      head.add("version", 1)
      head.add("count", count)
      let old = lines.filter { !$0.contains("\"event\":\"list\"") }.map { $0 + "\n" }.joined()
      try (Data(SealedLine.sealed(head)) + Data(old.utf8)).write(
        to: URL(fileURLWithPath: scratch(job + "/partial/set")))
      let record = JobRecord(
        kind: "image-set",
        parameters: [
          "count": "\(count)", "inputsXXH3": String(repeating: "0", count: 32), "page": "0",
          "orientation": "applied", "pipeline": "invert", "output": "png:compression=6",
        ], outputPath: FilePath(scratch("out")), identity: .current())
      try Data(record.contents).write(to: URL(fileURLWithPath: scratch(job + "/job.json")))
      try FileManager.default.removeItem(atPath: scratch(job + "/checkpoints"))
      try FileManager.default.moveItem(
        atPath: scratch(job), toPath: "\(scratch.jobs)/\(record.key)")
    }

    @Test("the same command takes over what it made, makes only what is new, and its job goes")
    func takenOver() async throws {
      let scratch = try Scratch()
      let inputs = ["a.tif", "b.tif", "c.tif"]
      for (index, name) in inputs.enumerated() {
        try Picture.write(to: name, in: scratch, width: 40 + index, height: 30)
      }
      let words = ["--output-dir", "out", "--format", "png", "--filter", "invert"]
      try await scratch.image(["a.tif", "b.tif"] + words).requireExit(0)
      try Self.age(scratch, count: 2)
      // Its record does not say what its inputs were, so it cannot go on by its name.
      let resumed = try await scratch.stint("resume", scratch.key).expectExit(65)
      #expect(
        resumed.errors.contains("begun by an older version")
          && resumed.errors.contains("run the same command again"), "\(resumed.errors)")
      // Another choice of filters is another set, to which those names are taken.
      let otherWords = words.dropLast() + ["sharpen"]
      try await scratch.image(inputs + otherWords).expectExit(73)
      let whole = try await scratch.image(inputs + words + ["--json"]).expectExit(0)
      #expect(whole.text.contains("\"inputs\":3,\"inputsDone\":3"), "\(whole.text)")
      #expect(whole.text.contains("\"filesMadeNow\":1"), "\(whole.text)")
      #expect(scratch.names(in: "out") == ["a.png", "b.png", "c.png"])
      let list = try await scratch.stint("list", "--json")
      let jobs = list.text.components(separatedBy: "image-set-").count - 1
      #expect(jobs == 2, "\(list.text)")
    }
  }
}
