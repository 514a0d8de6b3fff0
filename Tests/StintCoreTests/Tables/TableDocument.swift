import Foundation

/// A table as a document, and the one that is checked in.
enum TableDocument {
  /// The document of a table.
  static func text<Table: MachineTable>(of table: Table.Type) -> String {
    var lines = [Table.introduction, "", "## All pairs", ""]
    lines += overview(of: table)
    for section in Table.sections {
      lines += ["", "## \(capitalized(section.state.rawValue))", ""]
      lines += section.situations.flatMap {
        wrapped("- **\($0.situation.rawValue)**: \($0.explanation)")
      }
      lines += [
        "", "| event | in | what the machine does | clause | why |", "|---|---|---|---|---|",
      ]
      lines += Table.Event.allCases.flatMap { event in
        section.rows.filter { $0.event == event }.map { row in
          let names = row.situations.map(\.rawValue).joined(separator: "; ")
          return line([event.rawValue, names, row.does, row.clause, row.why])
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// One line an event, one column a state: where the event leads.
  private static func overview<Table: MachineTable>(of table: Table.Type) -> [String] {
    let states = Table.sections.map(\.state.rawValue)
    let head = [line(["event"] + states), "|" + String(repeating: "---|", count: states.count + 1)]
    return head
      + Table.Event.allCases.map { event in
        line(
          [event.rawValue]
            + Table.sections.map { section in
              var seen: [String] = []
              for row in section.rows where row.event == event {
                let short = summary(row.does)
                if !seen.contains(short) { seen.append(short) }
              }
              return seen.joined(separator: ", ")
            })
      }
  }

  /// A row in a word: the new state, that something is done without one, or that nothing is.
  private static func summary(_ does: String) -> String {
    if does.hasPrefix("traps: ") { return "traps" }
    if does == "nothing" { return "–" }
    return does.hasPrefix("→") ? String(does.prefix { $0 != ":" }) : "stays"
  }

  private static func line(_ cells: [String]) -> String {
    "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
  }

  /// A point of a list, in lines of at most 100 columns.
  private static func wrapped(_ point: String) -> [String] {
    var lines = [""]
    for word in point.split(separator: " ") {
      let isFirst = lines[lines.count - 1].isEmpty
      if !isFirst, lines[lines.count - 1].count + word.count + 1 > 100 { lines.append(" ") }
      lines[lines.count - 1] += isFirst ? word : " " + word
    }
    return lines
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// The nearest folder above these tests that has a folder of that name.
  ///
  /// The tests also run from a copy inside the tree, where only what is compiled stands.
  static func folder(_ path: String) -> URL? {
    var folder = URL(filePath: #filePath)
    while folder.path() != "/" {
      folder = folder.deletingLastPathComponent()
      let found = folder.appending(path: path)
      if FileManager.default.fileExists(atPath: found.path()) { return found }
    }
    return nil
  }

  /// Whether the documents are to be written rather than compared.
  static var isWriting: Bool { ProcessInfo.processInfo.environment["STINT_WRITE_TABLES"] == "1" }
}
