import Foundation
import StintRuntime
import Testing

@Suite("The table of presets in the documentation")
struct PolicyTableTests {
  /// The page, as rows of cells.
  private func rows() throws -> [[String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Sources/StintCore/StintCore.docc/Policies.md"),
      encoding: .utf8)
    return page.split(separator: "\n").filter { $0.hasPrefix("| ``") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func seconds(_ duration: Duration?, otherwise: String) -> String {
    duration.map { $0.secondsText(decimals: 0) + " s" } ?? otherwise
  }

  @Test("every preset has its row, with the numbers that the code has")
  func table() throws {
    let rows = try rows()
    #expect(rows.count == SystemPolicy.presets.count)
    for (row, preset) in zip(rows, SystemPolicy.presets) {
      let end =
        switch preset.terminationPoint {
        case .deadline: "deadline"
        case .handlersReturn: "the handlers' return"
        }
      let maximum = preset.maximumTasks == 1_000 ? "1,000" : "\(preset.maximumTasks)"
      #expect(
        Array(row.dropFirst()) == [
          "`\(preset.name)`", seconds(preset.grant, otherwise: "unlimited"),
          seconds(preset.lead, otherwise: ""), maximum, end,
          seconds(preset.heldTooLongNotice, otherwise: "none"),
          seconds(preset.dailyQuota, otherwise: "none"),
        ])
    }
  }

  @Test("what the page says that all presets have in common holds")
  func common() {
    for preset in SystemPolicy.presets {
      #expect(preset.enterBackgroundGrace == .seconds(5))
      #expect(preset.handlerAllowance == preset.lead / 2)
      #expect(preset.leastWorthGranting == min(.seconds(1), preset.lead / 5))
      #expect(preset.stoppedTime == .elapsed)
      #expect(preset.restoreAttempts == 3)
      #expect(preset.fetchAllowance == .seconds(30))
    }
  }
}
