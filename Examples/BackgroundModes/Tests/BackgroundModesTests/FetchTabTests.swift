import Foundation
import Stint
import StintTesting
import Testing
import UIKit

@testable import BackgroundModes

extension SharedPlace {
  @Suite("Fetches")
  @MainActor
  struct FetchTabTests {
    private typealias Answer = @MainActor (Date?) -> Void

    /// Answers at once, or when the test does.
    @MainActor
    private final class Clock {
      var time: Date? = Date(timeIntervalSince1970: 0)
      var isLate = false
      var waiting: [Answer] = []

      func ask(_ answer: @escaping Answer) {
        if isLate { waiting.append(answer) } else { answer(time) }
      }
    }

    private let clock = Clock()
    private let lines = Lines()
    private let tab: FetchController

    init() {
      tab = FetchController(from: clock.ask, show: lines.add)
    }

    @Test("the same time is no data, another one new data, none a failure; each while away")
    func results() throws {
      let program = try VirtualProgram([tab])
      program.system.enterBackground()
      for (time, result, label) in [
        (0.0, UIBackgroundFetchResult.newData, "1970-01-01T00:00:00Z"),
        (0.9, .noData, "1970-01-01T00:00:00Z"),
        (1.1, .newData, "1970-01-01T00:00:01Z"),
        (nil, .failed, "1970-01-01T00:00:01Z"),
      ] {
        clock.time = time.map(Date.init(timeIntervalSince1970:))
        #expect(program.fetch()?.result == result)
        #expect(tab.label == label)
        #expect(program.system.lifeState != .active)
        // The program is suspended between them.
        program.system.advance(by: .seconds(100))
        #expect(program.system.lifeState == .suspended)
      }
      #expect(lines.all.count == 4)
      #expect(program.system.record.diagnostics == [])
      #expect(program.system.record.terminations == [])
    }

    @Test("a program that does not run is launched straight into the background, and suspended")
    func launched() throws {
      let other = Lines()
      let program = try VirtualProgram(
        [WhateverController(show: other.add), tab], isLaunched: false)
      clock.isLate = true
      let fetch = try #require(program.fetch())
      #expect(program.system.lifeState == .background)
      #expect(UIApplication.shared.applicationState == .background)
      #expect(fetch.result == nil)
      program.system.advance(by: .seconds(10))
      #expect(program.system.lifeState == .background, "the fetch holds it")
      clock.waiting.removeFirst()(clock.time)
      program.system.run()
      #expect(fetch.result == .newData)
      #expect(program.system.lifeState == .suspended)
      #expect(other.all.isEmpty, "nobody has pressed its button")
      program.system.enterForeground()
      #expect(tab.label == "1970-01-01T00:00:00Z")
    }

    @Test("two fetches at a time are completed each with its own result")
    func together() throws {
      let program = try VirtualProgram([tab])
      program.system.enterBackground()
      clock.isLate = true
      let fetches = try [#require(program.fetch()), #require(program.fetch())]
      clock.waiting[1](nil)
      clock.waiting[0](clock.time)
      #expect(fetches.map(\.result) == [.newData, .failed])
      #expect(program.system.record.diagnostics == [])
    }

    @Test("a fetch that is never completed ends the program after 30 s")
    func never() throws {
      let program = try VirtualProgram([tab])
      program.system.enterBackground()
      clock.isLate = true
      let fetch = program.fetch()
      program.system.advance(by: .seconds(29))
      #expect(program.system.record.terminations == [])
      program.system.advance(by: .seconds(2))
      #expect(program.system.record.terminations == [.neverCompleted(name: "background fetch")])
      #expect(fetch?.result == nil)
      clock.waiting = []
    }

    @Test("without the tab there is no data, and its button fetches in the foreground")
    func button() throws {
      let program = try VirtualProgram([WhateverController(show: lines.add)])
      program.system.enterBackground()
      #expect(program.fetch()?.result == .noData)
      program.system.enterForeground()
      program.delegate.tabs = [tab]
      try program.start()
      #expect(lines.all == ["fetched: 1970-01-01T00:00:00Z"])
    }
  }
}
