import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("stint report", .serialized)
  struct ReportPageTests {
    /// Where a Chromium is; nil where none is.
    static let chromium: String? = {
      let environment = ProcessInfo.processInfo.environment
      if let named = environment["CHROMIUM"] { return named }
      let folders = (environment["PATH"] ?? "").split(separator: ":")
      return ["chromium", "chromium-browser", "google-chrome", "chrome"].lazy
        .flatMap { name in folders.map { "\($0)/\(name)" } }
        .first { access($0, X_OK) == 0 }
    }()
    static let hint: Comment = "no Chromium here; on Debian: apt-get install chromium"

    static let look = Programs.root + "/scripts/look"

    /// A job that was cut, killed, asked to stop, and finished.
    private static func livedJob(in scratch: Scratch) async throws -> String {
      let command = ["run", "fibonacci", "\(UnfinishedJob.n)", "--output", "f", "--budget"]
      _ = try await scratch.start(command + ["400ms", "--lead", "200ms"]).wait()
      for signal in [SIGKILL, SIGTERM] {
        let process = try scratch.start(command + ["30s"])
        let before = scratch.journal.all("stintBegan").count
        try await process.wait(until: "the begin of a stint") {
          scratch.journal.all("stintBegan").count > before
        }
        process.send(signal)
        _ = try await process.wait()
      }
      try await scratch.start(command + ["400ms", "--lead", "200ms", "--until-done"])
        .wait(atMost: .seconds(120)).expectExit(0)
      return try scratch.key
    }

    private static func page(of job: String, as name: String, in scratch: Scratch) async throws {
      let run = try await scratch.stint("report", job, "--html", name)
      #expect(run.end == .exited(0) && run.text.isEmpty, "\(run.errors)")
      #expect(scratch.text(name).hasPrefix("<!DOCTYPE html>"))
    }

    static func look(
      at pages: [String], in scratch: Scratch, chromium: String?
    ) async throws -> FinishedProcess {
      try await StintProcess(
        [look] + pages, in: scratch, environment: chromium.map { ["CHROMIUM": $0] } ?? [:]
      ).wait(atMost: .seconds(180))
    }

    @Test("a job that was cut, killed and stopped is told in text, JSON, page and trace")
    func forms() async throws {
      let scratch = try Scratch()
      let job = try await Self.livedJob(in: scratch)
      let text = try await scratch.stint("report", job).expectExit(0)
      let words = ["fibonacci \(UnfinishedJob.n)", "finished", "saved", "signal 15 arrived"]
      for part in words + ["checkpoints"] {
        #expect(text.text.contains(part), "\(part)\n\(text.text)")
      }
      try await Self.page(of: job, as: "report.html", in: scratch)
      _ = try await scratch.stint("report", job, "--trace", "trace.json", "--html", "again.html")
      let trace = try JSONSerialization.jsonObject(with: scratch.bytes("trace.json"))
      let events = (trace as? [String: Any])?["traceEvents"] as? [[String: Any]] ?? []
      #expect(events.contains { $0["name"] as? String == "stint 1" })
      let piped = try await scratch.stint("report", job, "--html", "-")
      #expect(piped.text.hasSuffix("</html>\n"))
      let json = try await scratch.stint("report", job, "--json")
      #expect(try json.object["stints"] as? Int == scratch.journal.all("stintBegan").count)
      #expect(try await scratch.stint("report", "nothing").end == .exited(64))
    }

    @Test(
      "commands have a report too, under whatever names, and a torn journal is told as far as it goes"
    )
    func commands() async throws {
      let scratch = try Scratch()
      let name = "<script>alert('x')</script>"
      _ = try await scratch.stint(
        "exec", "--budget", "1s", "--lead", "300ms", "--checkpoint-file", "state", "--", "sh", "-c",
        "date >state; sleep 9; : \"\(name)\"")
      let job = try scratch.key
      let text = try await scratch.stint("report", job)
      #expect(text.text.contains("exec sh"), "\(text.text)\(text.errors)")
      let path = "jobs/\(job)/journal.jsonl"
      try scratch.write("half a li\n" + scratch.text(path) + "{\"event\":", to: path)
      try await Self.page(of: job, as: "report.html", in: scratch)
      let html = scratch.text("report.html")
      #expect(html.contains("&lt;script&gt;alert") && !html.contains("<script"))
      #expect(html.contains("1 line of the journal cannot be read"))
    }

    @Test(
      "a browser finds nothing wrong with the page, wide and narrow, light and dark, with keys alone",
      .enabled(if: chromium != nil, hint))
    func browser() async throws {
      let scratch = try Scratch()
      let job = try await Self.livedJob(in: scratch)
      try await Self.page(of: job, as: "report.html", in: scratch)
      let run = try await Self.look(at: ["report.html"], in: scratch, chromium: Self.chromium)
      #expect(run.end == .exited(0), "\(run.text)\(run.errors)")
      for view in ["1280 light", "1280 dark", "390 light", "390 dark"] {
        #expect(run.text.contains("\(view): "), "\(run.text)")
      }
    }

    /// Faults that are planted behind the main part of a page, and the words in which each is told.
    static let plants = [
      ("<img src=\"https://stint.invalid/x.png\" alt=\"\">", "the console"),
      ("<script>document.title = 1</script>", "has a script"),
      ("<p><font color=\"#b0b0b0\">Who can read this?</font></p>", "contrast"),
      ("<pre>\(String(repeating: "wide ", count: 400))</pre>", "pixels"),
      ("<h4>Too deep</h4>", "a heading jumps"),
      ("<a href=\"#main\" tabindex=\"3\">Out of turn</a>", "the Tab key goes"),
      ("<a href=\"#nothing\">Nowhere</a>", "leads nowhere"),
      ("<svg viewBox=\"0 0 1 1\"></svg>", "a picture has no label"),
    ]

    @Test("a browser sees each fault that is planted", .enabled(if: chromium != nil, hint))
    func planted() async throws {
      let scratch = try Scratch()
      _ = try await scratch.start(StintsTests.budgeted).wait()
      let job = try scratch.key
      try await Self.page(of: job, as: "report.html", in: scratch)
      let good = scratch.text("report.html")
      var names: [String] = []
      for (index, plant) in Self.plants.enumerated() {
        names.append("plant-\(index).html")
        try scratch.write(
          good.replacing("</main>", with: "<h2>Planted</h2>\(plant.0)</main>"), to: names[index])
      }
      names.append("style.html")
      try scratch.write(good.replacing("<style>", with: "<style>p{margin:0}"), to: "style.html")
      let run = try await Self.look(at: names, in: scratch, chromium: Self.chromium).expectExit(1)
      let faults = run.errors.split(separator: "\n")
      for (index, plant) in Self.plants.enumerated() {
        #expect(
          faults.contains { $0.contains("plant-\(index).html") && $0.contains(plant.1) },
          "\(plant.0): \(run.errors)")
      }
      #expect(faults.contains { $0.contains("style.html") && $0.contains("is the style sheet") })
    }

    @Test("without a browser nothing is looked at, and that is said")
    func none() async throws {
      let scratch = try Scratch()
      try await StintProcess(
        ["/usr/bin/python3", Self.look, "page.html"], in: scratch,
        environment: ["PATH": scratch.path]
      ).wait().expectExit(69, saying: "no page was looked at")
    }
  }
}
