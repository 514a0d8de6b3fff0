package import StintCore

/// Budgets in a CSV file, one trip a line.
package enum CSVTrace {
  private static let headers = [
    ["grantSeconds"], ["grantSeconds", "warningSeconds"], ["grantSeconds", "announcedSeconds"],
    ["grantSeconds", "warningSeconds", "announcedSeconds"],
  ]

  /// Reads the lines.
  package static func trips(_ text: String, name: String) throws(StintError) -> [Trace.ListedTrip] {
    try trips(try CSVTable(text, name: name))
  }

  static func trips(_ table: CSVTable) throws(StintError) -> [Trace.ListedTrip] {
    guard headers.contains(table.columns) else {
      throw CSVTable.refused(
        table.name, table.headerLine,
        "the header must be grantSeconds, and may go on with warningSeconds and announcedSeconds")
    }
    let warning = table.columns.firstIndex(of: "warningSeconds")
    let announced = table.columns.firstIndex(of: "announcedSeconds")
    var trips: [Trace.ListedTrip] = []
    for (line, fields) in table.rows {
      func refused(_ what: String) -> StintError { CSVTable.refused(table.name, line, what) }
      guard let grant = Double(fields[0]), grant > 0, grant <= Distribution.longest else {
        throw refused("grantSeconds must be a number above 0 and at most 1000000")
      }
      var trip = Trace.ListedTrip(grantSeconds: grant)
      if let warning {
        let seconds = fields[warning].isEmpty ? 0 : Double(fields[warning])
        guard let seconds, seconds >= 0, seconds <= grant else {
          throw refused("warningSeconds must be a number from 0 to grantSeconds")
        }
        trip.warningSeconds = seconds
      }
      if let announced {
        if fields[announced].isEmpty {
          trip.announcement = .none
        } else if let seconds = Double(fields[announced]), seconds > 0,
          seconds <= Distribution.longest
        {
          trip.announcement = .seconds(seconds)
        } else {
          throw refused(
            "announcedSeconds must be empty, or a number above 0 and at most 1000000")
        }
      }
      trips.append(trip)
    }
    guard !trips.isEmpty else {
      throw StintError(
        .usage, "\(table.name) has no trip; it needs a header and at least one line.")
    }
    return trips
  }
}
