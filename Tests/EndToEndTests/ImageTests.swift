import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Images")
  struct ImageTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("W11 an image that is filtered while it is decoded is saved at a signal, and goes on")
    func stoppedStream() async throws {
      let scratch = try Scratch()
      try Picture.write(to: "in.tif", in: scratch, width: 1800, height: 1400)
      let filters = ["--filter", "median:9", "--format", "tif"]
      for signal in [SIGTERM, SIGUSR1] {
        let words = ["in.tif", "\(signal).tif", "--events", "e\(signal)", "--tick", "50ms"]
        let process = try scratch.start(["run", "image"] + words + filters)
        try await process.wait(until: "some rows") {
          Journal(text: scratch.text("e\(signal)")).all("tick")
            .contains { ($0.fraction ?? 0) > 0.1 }
        }
        process.send(signal)
        let cut = try await process.wait()
        #expect(cut.end == .exited(75), "\(cut.end): \(cut.errors)")
        try await scratch.image(words + filters).expectExit(0)
      }
      #expect(try scratch.bytes("\(SIGTERM).tif") == scratch.bytes("\(SIGUSR1).tif"))
    }

    @Test(
      "R1 SIGKILL under a budget of half a second, again and again: the bytes of the uninterrupted run"
    )
    func killed() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 5000)
      let filters = ["--filter", "gaussian-blur:2", "--filter", "equalise"]
      try await scratch.image(["in.tif", "whole.png"] + filters).requireExit(0)
      var runs = 0
      var last = ProcessEnd.exited(-1)
      var published = false
      while last != .exited(0), runs < 60 {
        // A busy machine does too little in half a second, so that each has a little more.
        let budget = "\(500 + 25 * runs)ms"
        let process = try scratch.start(
          ["run", "image", "in.tif", "cut.png", "--budget", budget, "--quiet"] + filters)
        runs += 1
        // Each third run is killed in the middle of its stint.
        if runs % 3 == 0 {
          try await Task.sleep(for: .milliseconds(350))
          process.send(SIGKILL)
        }
        let finished = try await process.wait()
        last = finished.end
        #expect(
          [.exited(0), .exited(75), .exited(69), .signalled(SIGKILL)].contains(last),
          "\(finished.errors)")
        // R18: nothing stands under the final name before it is whole. A kill may come between
        // that and the end of the job, and the next run's time may be up before it finds out.
        if last != .exited(0), scratch.exists("cut.png") {
          published = published || last == .signalled(SIGKILL)
          #expect(published)
          #expect(try scratch.bytes("cut.png") == scratch.bytes("whole.png"))
        }
      }
      #expect(last == .exited(0))
      #expect(runs > 1)
      #expect(try scratch.bytes("cut.png") == scratch.bytes("whole.png"))
    }

    @Test(
      "R1 SIGKILL while a source is filtered as it is decoded: what was delivered is kept, and the bytes are the same",
      arguments: ["out.tif", "out.webp"])
    func killedStream(output: String) async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      try await scratch.image(["in.tif", "in.png", "--quiet"]).requireExit(0)
      let filter = ["--filter", "median:7", "--filter", "invert", "--quiet"]
      let begun = try scratch.start(
        ["run", "image", "in.png", output, "--checkpoint-every", "100ms", "--events", "e"] + filter)
      try await begun.wait(until: "a checkpoint") {
        Journal(text: scratch.text("e")).newestCheckpoint > 0
      }
      begun.send(SIGKILL)
      #expect(try await begun.wait().end == .signalled(SIGKILL))
      #expect(!scratch.exists(output))
      try await scratch.image(["in.png", output] + filter).expectExit(0)
      // Under a budget the source is decoded first.
      let other = output.replacingOccurrences(of: "out", with: "whole")
      try await scratch.image(["in.png", other, "--budget", "5min"] + filter).expectExit(0)
      #expect(try scratch.bytes(output) == scratch.bytes(other))
    }

    @Test(
      "C5 a source that changed between two stints is refused with both checksums, until --fresh")
    func changedSource() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      let filter = ["in.tif", "out.png", "--filter", "median:5", "--quiet"]
      try await scratch.interruptedImage(filter).requireExit(75)
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500, seed: 8)
      try await scratch.image(filter + ["--budget", "30s"])
        .expectExit(65, saying: "has changed since image-", "--fresh")
      try await scratch.image(filter + ["--fresh"]).expectExit(0)
      #expect(scratch.exists("out.png"))
    }

    @Test(
      "what stint shows of an image job needs no libvips, and resume becomes the program that has it"
    )
    func verbs() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      try await scratch.interruptedImage(["in.tif", "out.tif", "--filter", "median:5", "--quiet"])
        .requireExit(75)
      let list = try await scratch.stint("list")
      #expect(list.text.contains("image ") && list.text.contains("median"))
      #expect(list.text.contains("waiting"))
      try await scratch.stint("status", "out.tif").expectExit(0)
      try await scratch.stint("verify", "out.tif").expectExit(0)
      try await scratch.start(["resume", "out.tif", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      #expect(scratch.exists("out.tif"))
      try await scratch.image(["in.tif", "out.tif", "--filter", "median:5"])
        .expectExit(0, saying: "Finished before")
      try await scratch.stint("clean").expectExit(0)
    }

    @Test(
      "what cannot be done is refused before the work, with the status and the sentence for it",
      arguments: [
        (["nothing.png", "out.png"], 74, "cannot be read"),
        (["in.tif", "out.xyz"], 64, "unsupported extension"),
        (["in.tif", "out"], 64, "unsupported extension"),
        (["in.tif", "in.tif"], 64, "is the input"),
        (["in.tif"], 64, "OUT is missing"),
        ([], 64, "IN and OUT are missing"),
        (["-", "out.png"], 64, "standard input"),
        (["in.tif", "out.png", "--filter", "gausian-blur"], 64, "gaussian-blur"),
        (["in.tif", "out.png", "--filter", "crop:900x900+0+0"], 64, "crop"),
        (["in.tif", "out.png", "--page", "1"], 64, "1 page"),
        (["in.tif", "out.png", "--quality", "80"], 64, "--quality"),
        (["in.tif", "out.png", "--tile", "64"], 64, "--tile"),
        (["in.tif", "out.tif", "--tile", "65"], 64, "multiple of 16"),
        (["in.tif", "-", "--json"], 64, "--format"),
        (["cut.png", "out.png"], 65, "damaged"),
        (["text.png", "out.png"], 65, "is not an image"),
        (["empty.png", "out.png"], 65, "empty"),
        ([".", "out.png"], 64, "not a regular file"),
      ] as [([String], Int32, String)])
    func refused(arguments: [String], status: Int32, part: String) async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 70, height: 90)
      let bytes = try scratch.bytes("in.tif")
      try Data(bytes.prefix(bytes.count / 2)).write(
        to: URL(fileURLWithPath: scratch("cut.png")))
      try scratch.write("hello\n", to: "text.png")
      try scratch.write("", to: "empty.png")
      let run = try await scratch.image(arguments).expectExit(status)
      #expect(run.errors.contains(part), "\(run.errors)")
      #expect(!scratch.exists("out.png"))
    }

    @Test(
      "--dry-run says what it would take, and --list-filters names the filters, as text and as JSON"
    )
    func told() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 70, height: 90)
      let dry = try await scratch.image([
        "in.tif", "out.jpg", "--filter", "invert", "--dry-run", "--json",
      ]).expectExit(0)
      let object = try dry.object
      #expect(object["leastBudgetSeconds"] is Double && object["outputBytes"] is Int)
      #expect((object["image"] as? String)?.contains("70 x 90") == true)
      let filters = try await scratch.image(["--list-filters"])
      #expect(filters.text.contains("gaussian-blur") && filters.text.contains("clahe"))
      let json = try await scratch.image(["--list-filters", "--json"])
      #expect(try JSONSerialization.jsonObject(with: json.output) is [String: Any] == true)
    }

    @Test(
      "W2 work that no stint of the budget can hold is refused with the least budget that would do")
    func tooShort() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 2000, height: 3000)
      // WebP is written at once, and takes seconds for so many pixels.
      try await scratch.image([
        "in.tif", "out.webp", "--compression", "lossless", "--budget", "300ms", "--quiet",
      ]).expectExit(69, saying: "least budget")
      #expect(!scratch.exists("out.webp"))
    }

    @Test("--background lays an image with alpha on a colour, for formats that have none")
    func background() async throws {
      try Picture.write(to: "clear.tif", in: scratch, width: 70, height: 90, alpha: 0)
      try Picture.write(to: "solid.tif", in: scratch, width: 70, height: 90, alpha: 255)
      try Picture.write(to: "plain.tif", in: scratch, width: 70, height: 90)
      try await scratch.image(["clear.tif", "out.jpg"]).expectExit(64, saying: "--background")
      try await scratch.image(["clear.tif", "out.jpg", "--background", "blakc"])
        .expectExit(64, saying: "Did you mean black?")
      try await scratch.image(["clear.tif", "out.jpg", "--background", "white"]).expectExit(0)
      // Pixel by pixel in a format that loses nothing: header, then red, green, blue.
      for (name, words) in [
        ("clear", ["--background", "#102030"]), ("solid", ["--background", "102030"]),
        ("plain", []),
      ] {
        try await scratch.image(["\(name).tif", "\(name).ppm"] + words).expectExit(0)
      }
      let count = 70 * 90 * 3
      #expect(
        try scratch.bytes("solid.ppm").suffix(count) == scratch.bytes("plain.ppm").suffix(count))
      let colour: [UInt8] = [0x10, 0x20, 0x30]
      #expect(
        try Array(scratch.bytes("clear.ppm").suffix(count))
          == (0..<count).map { colour[$0 % 3] })
    }

    @Test("libvips' module of AVIF is loaded for that, that of JPEG XL if it is trusted, no other")
    func modules() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 64, height: 48)
      try scratch.write("%PDF-1.4\n", to: "in.pdf")
      try Picture.jxl.write(to: URL(fileURLWithPath: scratch("in.jxl")))
      try scratch.write("neither image nor document", to: "in.txt")
      for (words, status, loaded) in [
        (["in.tif", "out.png"], 0, [Substring]()), (["in.tif", "out.avif"], 0, ["vips-heif.so"]),
        (["out.avif", "again.tif"], 0, ["vips-heif.so"]),
        (["in.pdf", "no.png"], 65, ["vips-heif.so"]),
        (["in.txt", "no.png"], 65, ["vips-heif.so"]),
        (["in.jxl", "no.png"], 65, ["vips-heif.so"]),
        (["in.jxl", "xl.png", "--trust", "jxl"], 0, ["vips-heif.so", "vips-jxl.so"]),
      ] as [([String], Int32, [Substring])] {
        // The loader of programs tells what it opens.
        let run = try await StintProcess(
          [Programs.stint(), "run", "image"] + words + ["--quiet"], in: scratch,
          environment: ["LD_DEBUG": "files"]
        ).wait()
        #expect(run.end == .exited(status), "\(words): \(run.errors.suffix(400))")
        #expect(run.errors.contains("libvips.so"))
        let modules = run.errors.matches(of: /vips-modules-[0-9.]+\/([a-z-]+\.so)/).map(\.1)
        #expect(Set(modules) == Set(loaded), "\(words)")
      }
      #expect(scratch.exists("again.tif") && scratch.exists("xl.png") && !scratch.exists("no.png"))
    }

    @Test("the budget counts from the start of stint, not from that of the program that it becomes")
    func launchTime() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      // A value that somebody else left there is not believed.
      try await StintProcess(
        [Programs.stint(), "run", "image", "in.tif", "out.png", "--filter", "invert"], in: scratch,
        environment: ["STINT_LAUNCHED_AT": "1"]
      ).wait().expectExit(0)
      #expect(scratch.exists("out.png"))
    }
  }
}
