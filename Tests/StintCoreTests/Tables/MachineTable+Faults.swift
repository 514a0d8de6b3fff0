import Foundation
import Testing

// What can be wrong with a table; one that has no fault is true and whole.

extension MachineTable {
  /// Everything that is wrong with the table, but for the rows that trap, which need a process
  /// each.
  static func faults(of sections: [TableSection<Self>]) -> [String] {
    formFaults(of: sections) + gaps(of: sections) + lies(of: sections)
  }

  /// Pairs of situation and event that no row or more than one row describes.
  private static func gaps(of sections: [TableSection<Self>]) -> [String] {
    var faults: [String] = []
    for state in State.allCases where sections.count(where: { $0.state == state }) != 1 {
      faults.append("\(state.rawValue): not one section")
    }
    for situation in Situation.allCases {
      let homes = sections.filter { $0.situations.contains { $0.situation == situation } }
      guard homes.count == 1, let home = homes.first else {
        faults.append("\(situation.rawValue): in \(homes.count) sections")
        continue
      }
      for event in Event.allCases {
        let rows = home.rows.count {
          $0.event == event && home.situations(of: $0).contains(situation)
        }
        if rows != 1 { faults.append("\(situation.rawValue), \(event.rawValue): \(rows) rows") }
      }
    }
    return faults
  }

  /// Rows that name no clause, no race, or a situation of another state.
  private static func formFaults(of sections: [TableSection<Self>]) -> [String] {
    var faults: [String] = []
    for section in sections {
      for row in section.rows {
        let place = "\(section.state.rawValue), \(row.event.rawValue)"
        let own = section.situations.map(\.situation)
        if !row.situations.allSatisfy(own.contains) { faults.append("\(place): another's row") }
        if row.sentence != nil { continue }
        if !isClause(row.clause) { faults.append("\(place): no clause \"\(row.clause)\"") }
        if row.does == TableRow<Self>.nothing, row.why.isEmpty {
          faults.append("\(place): a no-op that names no race")
        }
      }
    }
    return faults
  }

  /// Rows that say something else than what the machine does.
  private static func lies(of sections: [TableSection<Self>]) -> [String] {
    var faults: [String] = []
    for section in sections {
      for (situation, _) in section.situations where state(in: situation) != section.state {
        faults.append("\(situation.rawValue) is \(state(in: situation).rawValue)")
      }
      for row in section.rows where row.sentence == nil {
        for situation in section.situations(of: row) {
          let done = run(row.event, in: situation)
          if done != row.does {
            faults.append(
              "\(situation.rawValue), \(row.event.rawValue): \"\(row.does)\" is \"\(done)\"")
          }
        }
      }
    }
    return faults
  }

  /// Whether a text is the number of a clause of the contract that a machine can keep.
  private static func isClause(_ text: String) -> Bool {
    let last: [Character: Int] = [
      "A": 24, "L": 11, "W": 14, "C": 8, "E": 1, "B": 5, "Q": 9, "X": 9,
    ]
    guard let letter = text.first, let end = last[letter], let number = Int(text.dropFirst())
    else { return false }
    return (1...end).contains(number)
  }

  /// The rows that trap, situation by situation.
  static var traps: [TableTrap<Self>] { trapsOfRows.flatMap { $0 } }

  /// One trap of each row, or all traps in the long form: each trap costs a process.
  static var triedTraps: [TableTrap<Self>] {
    ProcessInfo.processInfo.environment["STINT_FULL"] == nil
      ? trapsOfRows.compactMap(\.first) : traps
  }

  private static var trapsOfRows: [[TableTrap<Self>]] {
    sections.flatMap { section in
      section.rows.map { row in
        section.situations(of: row).compactMap { situation in
          row.sentence.map { TableTrap(event: row.event, situation: situation, sentence: $0) }
        }
      }
    }
  }
}

/// An event that the machine refuses.
struct TableTrap<Table: MachineTable>: Sendable, CustomTestStringConvertible {
  let event: Table.Event
  let situation: Table.Situation
  let sentence: String

  var testDescription: String { "\(situation.rawValue), \(event.rawValue)" }
}
