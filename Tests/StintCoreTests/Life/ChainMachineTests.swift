import Foundation
import StintCore
import Testing

@Suite("Chain machine")
struct ChainMachineTests {
  /// Every way in which a link can end, with the words for it.
  private static let ends: [(words: String, end: ChainMachine.LinkEnd)] = [
    ("the work is finished", .finished),
    ("its time was over, and the work is saved", .unfinished),
    ("a status that another link would repeat", .failed(status: 65)),
    ("no progress in several stints", .noProgress),
    ("hindered: something is missing or cannot be written", .hindered(status: 74)),
    ("killed or crashed", .died(isExcused: false)),
    ("gone with its node, or taken back by the engine", .died(isExcused: true)),
    ("stopped by somebody", .stopped),
  ]

  private static func words(_ next: ChainMachine.Next, deaths: Int) -> String {
    switch next {
    case .link: deaths == 0 ? "the next link" : "the next link, \(deaths) counted"
    case .ended(let ending): "ended: \(ending.rawValue)"
    }
  }

  /// What follows an end, before which so many links in a row had died.
  private static func next(
    _ end: ChainMachine.LinkEnd, deaths: Int, madeProgress: Bool, number: Int
  ) -> String {
    var machine = ChainMachine(links: 9, deaths: deaths)
    let next = machine.linkEnded(end, number: number, madeProgress: madeProgress)
    return words(next, deaths: machine.deaths)
  }

  /// The page, from the machine itself.
  private static var page: String {
    var lines = [
      "# The chain machine, end by end", "",
      "What follows each end of a link of a chain, written by `scripts/tables` from `ChainMachine`. A",
      "chain is work that an engine runs slice after slice; a link is the process of one slice.",
      "",
      "\"Counted\" are links in a row that died or were hindered without a new durable point; three of",
      "them end the chain.", "",
      "| a link ended | first in a row | after two that are counted | with a new durable point | "
        + "the last link |",
      "|---|---|---|---|---|",
    ]
    for (words, end) in ends {
      let cells = [
        next(end, deaths: 0, madeProgress: false, number: 4),
        next(end, deaths: 2, madeProgress: false, number: 4),
        next(end, deaths: 2, madeProgress: true, number: 4),
        next(end, deaths: 0, madeProgress: true, number: 9),
      ]
      lines.append("| \(words) | \(cells.joined(separator: " | ")) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test("docs/machines/chain.md says what the machine does")
  func document() throws {
    let path = try #require(TableDocument.folder("docs/machines")).appending(path: "chain.md")
    if TableDocument.isWriting {
      try Self.page.write(to: path, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: path, encoding: .utf8) == Self.page)
  }

  @Test("E3 a chain goes on while its work is unfinished, and never past its last link")
  func bounded() {
    var machine = ChainMachine(links: 3)
    #expect(machine.linkEnded(.unfinished, number: 1, madeProgress: true) == .link)
    #expect(machine.linkEnded(.unfinished, number: 2, madeProgress: false) == .link)
    #expect(machine.linkEnded(.unfinished, number: 3, madeProgress: true) == .ended(.usedUp))
    #expect(machine.linkEnded(.finished, number: 3, madeProgress: true) == .ended(.finished))
  }

  @Test("E4 what another link would repeat ends the chain at once", arguments: [64, 65, 70, 73, 1])
  func repeats(status: Int32) {
    var machine = ChainMachine(links: 50)
    #expect(
      machine.linkEnded(.failed(status: status), number: 1, madeProgress: true) == .ended(.failed))
    #expect(
      machine.linkEnded(.noProgress, number: 1, madeProgress: false) == .ended(.noProgress))
  }

  @Test("E4 three links in a row that died without a new durable point end it; others do not count")
  func deaths() {
    var machine = ChainMachine(links: 50)
    for number in 1...2 {
      #expect(
        machine.linkEnded(.died(isExcused: false), number: number, madeProgress: false) == .link)
    }
    var saved = machine
    #expect(saved.linkEnded(.died(isExcused: false), number: 3, madeProgress: true) == .link)
    #expect(saved.deaths == 0)
    var excused = machine
    #expect(excused.linkEnded(.died(isExcused: true), number: 3, madeProgress: false) == .link)
    #expect(
      machine.linkEnded(.hindered(status: 74), number: 3, madeProgress: false) == .ended(.died))
  }

  @Test("E6 the end of a node is never the work's fault, however often it comes")
  func nodes() {
    var machine = ChainMachine(links: 50)
    for number in 1..<50 {
      #expect(
        machine.linkEnded(.died(isExcused: true), number: number, madeProgress: false) == .link)
    }
  }

  @Test("E7 a stopped chain has no other link")
  func stopped() {
    var machine = ChainMachine(links: 50, deaths: 1)
    #expect(machine.linkEnded(.stopped, number: 1, madeProgress: true) == .ended(.stopped))
  }
}
