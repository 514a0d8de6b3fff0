package import Foundation
package import StintCore

/// Scenarios and reports in files.
package enum ScenarioFile {
  /// Reads a scenario; a CSV trace is looked for beside it.
  ///
  /// - Throws: ``StintError`` with a sentence that names the file, the member and the range.
  package static func read(_ path: String) throws(StintError) -> Scenario {
    let data = try contents(path, most: 1 << 20)
    do throws(StintError) {
      var scenario = try decode(Scenario.self, data)
      if case .listed(let name, _) = scenario.trace.grant {
        guard !name.isEmpty, !name.contains("/"), name != "..", name.hasSuffix(".csv") else {
          throw StintError(
            .usage,
            "The member trace.grant.csv must be the name of a .csv file beside the scenario.")
        }
        let folder = URL(filePath: path).deletingLastPathComponent()
        let text = try contents(
          folder.appending(path: name).path(percentEncoded: false), most: 1 << 24)
        scenario.trace.grant = .listed(
          name: name, try CSVTrace.trips(String(decoding: text, as: UTF8.self), name: name))
      }
      return scenario
    } catch {
      throw error.about("\(path)")
    }
  }

  /// Reads a report.
  ///
  /// - Throws: ``StintError``: `io` if it cannot be read, `damaged` if it is no report.
  package static func report(_ path: String) throws(StintError) -> ScenarioReport {
    let data: Data
    do { data = try contents(path, most: 1 << 30) } catch { throw StintError(.io, error.message) }
    do throws(StintError) {
      let report = try decode(ScenarioReport.self, data)
      guard report.format == ScenarioReport.format else {
        throw StintError(
          .damaged,
          "The member format is \"\(report.format.prefix(40))\"; this version reads "
            + "\"\(ScenarioReport.format)\".")
      }
      return report
    } catch {
      throw StintError(
        .damaged,
        "\(path) is no report of stint-bench run: \(error.message) stint-bench run --json FILE makes one."
      )
    }
  }

  /// Decodes, and makes a sentence of what is wrong.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, _ data: Data
  ) throws(StintError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch let error as StintError {
      throw error
    } catch DecodingError.keyNotFound(let key, let context) {
      throw ObjectReader.refused(context.codingPath + [key], "is missing")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context)
    {
      throw ObjectReader.refused(
        context.codingPath, "is of another kind: \(context.debugDescription)")
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      throw ObjectReader.refused(context.codingPath, "has a value that is not known")
    } catch {
      throw StintError(.usage, "This is no JSON: \(error.localizedDescription).")
    }
  }

  /// A report or a scenario as JSON, the same bytes for the same values.
  package static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  private static func contents(_ path: String, most: Int) throws(StintError) -> Data {
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      guard data.count <= most else {
        throw StintError(.usage, "\(path) has \(data.count) bytes; the most is \(most).")
      }
      return data
    } catch let error as StintError {
      throw error
    } catch {
      throw StintError(.usage, "\(path) cannot be read: \(error.localizedDescription)")
    }
  }
}

/// Budgets in a CSV file: a header line, then one trip a line; lines that begin with # are for
/// people.
package enum CSVTrace {
  /// Reads the lines.
  package static func trips(_ text: String, name: String) throws(StintError) -> [Trace.ListedTrip] {
    var columns: [String]?
    var trips: [Trace.ListedTrip] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      if line.hasPrefix("#") || (fields.count == 1 && fields[0].isEmpty) { continue }
      guard let head = columns else {
        guard fields == ["grantSeconds"] || fields == ["grantSeconds", "warningSeconds"] else {
          throw refused(
            name, index, "the header must be grantSeconds or grantSeconds,warningSeconds")
        }
        columns = fields
        continue
      }
      guard fields.count == head.count else {
        throw refused(name, index, "there must be \(head.count) fields, not \(fields.count)")
      }
      guard let grant = Double(fields[0]), grant > 0, grant <= Distribution.longest else {
        throw refused(name, index, "grantSeconds must be a number above 0 and at most 1000000")
      }
      var warning: Double?
      if head.count > 1 {
        warning = fields[1].isEmpty ? 0 : Double(fields[1])
        guard let warning, warning >= 0, warning <= grant else {
          throw refused(name, index, "warningSeconds must be a number from 0 to grantSeconds")
        }
      }
      trips.append(Trace.ListedTrip(grantSeconds: grant, warningSeconds: warning))
    }
    guard !trips.isEmpty else {
      throw StintError(.usage, "\(name) has no trip; it needs a header and at least one line.")
    }
    return trips
  }

  private static func refused(_ name: String, _ index: Int, _ what: String) -> StintError {
    StintError(.usage, "Line \(index + 1) of \(name): \(what).")
  }
}
