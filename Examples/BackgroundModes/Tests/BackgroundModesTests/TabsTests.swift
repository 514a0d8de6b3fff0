import Foundation
import Stint
import StintTesting
import Testing
import UIKit

@testable import BackgroundModes

extension SharedPlace {
  @Suite("The four tabs together")
  @MainActor
  struct TabsTests {
    private struct Everything: Sink {
      func write(_ bytes: Data) -> Int { bytes.count }
    }

    private static var walk: String {
      get throws { try #require(Bundle.module.path(forResource: "walk", ofType: "gpx")) }
    }

    private func location() throws -> LocationController {
      LocationController(try Track(gpx: Data(contentsOf: URL(fileURLWithPath: Self.walk))))
    }

    @Test("while music plays, all of them go on for longer than a trip; afterwards its time falls")
    func together() throws {
      let piece = try WaveFile(WaveFile.tone(hertz: 330, milliseconds: 60_000), name: "long")
      let audio = AudioController(try Player([piece])) { Everything() }
      let (location, lines) = (try location(), Lines())
      let (whatever, fetch) = (
        WhateverController(show: lines.add), FetchController(show: lines.add)
      )
      let program = try VirtualProgram([audio, location, whatever, fetch])
      try program.start()
      program.system.enterBackground()
      program.system.advance(by: .seconds(50))
      #expect(program.system.lifeState == .background)
      #expect(UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude)
      #expect(lines.all.last?.hasSuffix("in the background, all time left") == true)
      #expect(program.fetch()?.result != .failed)
      let kept = try #require(location.recorder).kept
      #expect(kept.count > 5 && kept.allSatisfy { $0.state == .background })
      #expect(audio.session?.player.underruns == [])
      program.system.advance(by: .seconds(11))
      #expect(audio.isOver)
      try audio.end(trip: nil)
      try location.end(trip: nil)
      program.system.advance(by: .seconds(1))
      #expect(lines.all.last?.hasSuffix("29.0 s left") == true)
      program.system.expire()
      #expect(program.system.lifeState == .suspended)
      #expect(program.system.record.terminations == [])
    }

    @Test("a mode that is not permitted is said with a status, and leaves the others alone")
    func forbidden() throws {
      let program = try VirtualProgram([location()])
      program.system.setConditions(ModeConditions(isPermitted: false), of: .location)
      do {
        try program.start()
        Issue.record("it was started")
      } catch let failure as Failure {
        #expect(failure.status == 69)
        #expect(failure.words.contains("\"location\" is refused"))
      }
    }

    @Test("the command line makes the tabs, each of its own words")
    func arguments() throws {
      let all = try Arguments([
        "audio", "/dev/null", "location", Self.walk, "--speed", "100", "whatever", "fetch", "--for",
        "1.5",
      ])
      #expect(all.tabs.count == 4)
      #expect(all.tabs[0] is AudioController && all.tabs[1] is LocationController)
      #expect(all.tabs[2] is WhateverController && all.tabs[3] is FetchController)
      #expect(all.length == .milliseconds(1_500))
      #expect(all.tabs[0].length == .seconds(6))
      #expect(try Arguments(["fetch"]).length == nil)
    }

    @Test(
      "a mistake on the command line ends with a status",
      arguments: [
        ([], 64), (["music"], 64), (["audio"], 64), (["audio", "a", "b"], 64),
        (["whatever", "x"], 64),
        (["fetch", "--for", "0"], 64), (["location", "a", "--speed", "101"], 64),
        (["location", "/dev/null"], 65), (["audio", "a", "/dev/null", "b", "c"], 65),
      ] as [([String], Int32)])
    func mistakes(words: [String], status: Int32) {
      do {
        _ = try Arguments(words)
        Issue.record("it was taken")
      } catch {
        #expect((error as? Failure)?.status == status)
      }
    }
  }
}
