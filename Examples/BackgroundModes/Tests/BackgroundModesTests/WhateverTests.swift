import Foundation
import Stint
import StintTesting
import Testing

@testable import BackgroundModes

extension SharedPlace {
  @Suite("The finite task")
  @MainActor
  struct WhateverTests {
    private let lines: Lines
    private let tab: WhateverController
    private let program: VirtualProgram

    init() throws {
      let lines = Lines()
      self.lines = lines
      tab = WhateverController(show: lines.add)
      program = try VirtualProgram([tab])
    }

    @Test("it computes on in the background, and its remaining time falls with each number")
    func trip() throws {
      try program.start()
      program.system.advance(by: .seconds(2))
      #expect(lines.take() == ["F(2) = 1", "F(3) = 2", "F(4) = 3", "F(5) = 5"])
      program.system.enterBackground()
      program.system.advance(by: .milliseconds(1_500))
      #expect(
        lines.take() == [
          "F(6) = 8, in the background, 29.5 s left",
          "F(7) = 13, in the background, 29.0 s left",
          "F(8) = 21, in the background, 28.5 s left",
        ])
      program.system.enterForeground()
      program.system.advance(by: .milliseconds(500))
      #expect(lines.take() == ["F(9) = 34"])
      #expect(program.system.openTasks.count == 1, "the first task is still there")
    }

    @Test("expiry ends the task, the suspension stops the numbers, and no burst follows")
    func expiry() throws {
      try program.start()
      program.system.enterBackground()
      program.system.expire()
      #expect(lines.all.last == "the time is up")
      #expect(program.system.openTasks.isEmpty)
      #expect(program.system.lifeState == .suspended)
      let position = tab.position
      program.system.advance(by: .seconds(1_000))
      #expect(tab.position == position)
      #expect(program.system.record.terminations == [])
      program.system.enterForeground()
      program.system.advance(by: .milliseconds(500))
      #expect(tab.position <= position + 2, "at most one late number")
    }

    @Test("becoming active registers again, and the next trip has its whole time")
    func again() throws {
      try program.start()
      for _ in 1...3 {
        program.system.enterBackground()
        #expect(program.system.remainingTime == .limited(.seconds(30)))
        program.system.expire()
        #expect(program.system.openTasks.isEmpty)
        program.system.enterForeground()
        #expect(program.system.openTasks.count == 1)
        #expect(program.system.remainingTime == .unlimited)
      }
      try program.end()
      #expect(program.system.openTasks.isEmpty)
      program.system.interrupt()
      #expect(program.system.openTasks.isEmpty, "it does not register once it is ended")
      #expect(program.system.record.diagnostics == [])
    }

    @Test("a denied task is said, and asked for again when the program becomes active")
    func denied() throws {
      program.system.deny("not now")
      try program.start()
      #expect(lines.take() == ["there is no time in the background"])
      program.system.deny(nil)
      program.system.interrupt()
      #expect(program.system.openTasks.count == 1)
    }

    @Test("each number is right, and before 38 digits are too few it begins anew")
    func numbers() throws {
      try program.start()
      for position in 2...183 {
        program.system.advance(by: .milliseconds(500))
        #expect(tab.position == position)
        #expect(tab.current.stringValue == "\(Self.fibonacci(position).0)")
        if position == 150 {
          #expect(tab.current.stringValue == "9969216677189303386214405760200")
        }
      }
      program.system.advance(by: .milliseconds(500))
      #expect(tab.position == 1)
      #expect(tab.current == .one)
    }

    /// F(n) and F(n + 1) by doubling, which adds no two neighbours.
    private static func fibonacci(_ n: Int) -> (UInt128, UInt128) {
      guard n > 0 else { return (0, 1) }
      let (a, b) = fibonacci(n / 2)
      let (even, odd) = (a * (2 * b - a), a * a + b * b)
      return n % 2 == 0 ? (even, odd) : (odd, even + odd)
    }
  }
}
