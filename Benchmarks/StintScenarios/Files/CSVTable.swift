import Foundation
package import StintCore

/// A CSV file: a header line, then lines with as many fields; lines that begin with # are for
/// people.
package struct CSVTable: Sendable {
  /// The file's name.
  let name: String
  let columns: [String]
  /// The number of the header's line.
  let headerLine: Int
  /// The number of each line in the file, and its fields.
  let rows: [(line: Int, fields: [String])]

  /// Takes a text apart.
  package init(_ text: String, name: String) throws(StintError) {
    self.name = name
    var columns: [String]?
    var headerLine = 1
    var rows: [(line: Int, fields: [String])] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      if line.hasPrefix("#") || (fields.count == 1 && fields[0].isEmpty) { continue }
      guard let head = columns else {
        columns = fields
        headerLine = number
        continue
      }
      guard fields.count == head.count else {
        throw Self.refused(
          name, number, "there must be \(head.count) fields, not \(fields.count)")
      }
      rows.append((number, fields))
    }
    guard let columns else {
      throw StintError(.usage, "\(name) is empty; it needs a header and at least one line.")
    }
    self.columns = columns
    self.headerLine = headerLine
    self.rows = rows
  }

  func numbers(
    of column: String, in range: ClosedRange<Double>
  ) throws(StintError) -> [Double] {
    guard let place = columns.firstIndex(of: column) else {
      let known = columns.map { $0.prefix(40) }.joined(separator: ", ")
      throw StintError(
        .usage,
        "\(name) has no column \"\(column.prefix(40))\"; its columns are \(known.prefix(200)).")
    }
    var numbers: [Double] = []
    for row in rows {
      guard let number = Double(row.fields[place]), range.contains(number) else {
        throw Self.refused(
          name, row.line,
          "\(column) must be a number from \(range.lowerBound.short) to \(range.upperBound.short)")
      }
      numbers.append(number)
    }
    guard !numbers.isEmpty else {
      throw StintError(.usage, "\(name) has no value; it needs at least one line.")
    }
    return numbers
  }

  static func refused(_ name: String, _ line: Int, _ what: String) -> StintError {
    StintError(.usage, "Line \(line) of \(name): \(what).")
  }
}
