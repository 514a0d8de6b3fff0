package import Foundation
package import StintCore

/// Scenarios and reports in files.
package enum ScenarioFile {
  /// Reads a scenario; CSV files are looked for beside it.
  ///
  /// - Throws: ``StintError`` with a sentence that names the file, the member and the range.
  package static func read(_ path: String) throws(StintError) -> Scenario {
    let data = try contents(path, most: 1 << 20)
    do throws(StintError) {
      return try decode(Scenario.self, data, beside: ScenarioFolder(of: path))
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

  /// Decodes, and makes a sentence of what is wrong; without a folder no CSV files are read.
  ///
  /// - Throws: ``StintError`` with the member and the range.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, _ data: Data, beside folder: ScenarioFolder? = nil
  ) throws(StintError) -> Value {
    let decoder = JSONDecoder()
    decoder.userInfo[.scenarioFolder] = folder
    do {
      return try decoder.decode(type, from: data)
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

  static func contents(_ path: String, most: Int) throws(StintError) -> Data {
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
