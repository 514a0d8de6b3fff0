import StintReport

extension PublishedTable {
  /// The tables for a paper, to be read by `\input`; needs the packages booktabs and longtable.
  package var latex: String {
    (["% \(source). Needs \\usepackage{booktabs,longtable}.", summaryTable]
      + all.map(Self.table)).joined(separator: "\n\n") + "\n"
  }

  private var summaryTable: String {
    let headings = ["Strategy"] + summaryHeadings + ["worst behind", "overruns"]
    let rows = summary.map { row in
      Self.line([row.title] + row.cells, isStrong: row.isStint)
    }
    return """
      \\begin{table}
      \\caption{Useful share of the granted time in per cent, mean of \(TableWorkload.all.count) workloads on each trace;
      points behind the best rule where that is most; overruns in 1,000 told deadlines.}
      \\label{tab:stint-summary}
      \\begin{tabular}{l\(String(repeating: "r", count: headings.count - 1))}
      \\toprule
      \(Self.line(headings))
      \\midrule
      \(rows.joined(separator: "\n"))
      \\bottomrule
      \\end{tabular}
      \\end{table}
      """
  }

  private static func table(_ section: Section) -> String {
    let headings = ["Strategy"] + headings
    let bodies = section.results.map { result in
      let rows = result.strategies.map { strategy in
        line(
          [strategy.title] + cells(strategy, of: result),
          isStrong: strategy.name == StrategyName.stint.rawValue)
      }
      return """
        \\multicolumn{\(headings.count)}{l}{\(escaped(facts(result)))} \\\\
        \\midrule
        \(rows.joined(separator: "\n"))
        """
    }
    return """
      \\begin{longtable}{l\(String(repeating: "r", count: headings.count - 1))}
      \\caption{\(escaped(section.title)).}
      \\label{tab:stint-\(section.name)} \\\\
      \\toprule
      \(line(headings))
      \\midrule
      \\endhead
      \(bodies.joined(separator: "\n\\midrule\n"))
      \\bottomrule
      \\end{longtable}
      """
  }

  private static func line(_ cells: [String], isStrong: Bool = false) -> String {
    cells.map { cell in
      let text = escaped(cell)
      return isStrong && !text.isEmpty ? "\\textbf{\(text)}" : text
    }.joined(separator: " & ") + " \\\\"
  }

  /// The text with nothing in it that TeX takes for a command.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&", "%", "$", "#", "_", "{", "}": result += "\\\(character)"
      case "\\": result += "\\textbackslash{}"
      case "~": result += "\\textasciitilde{}"
      case "^": result += "\\textasciicircum{}"
      case "±": result += "$\\pm$"
      case _ where character.isASCII && !character.isNewline: result.append(character)
      default: result += "?"
      }
    }
  }
}
