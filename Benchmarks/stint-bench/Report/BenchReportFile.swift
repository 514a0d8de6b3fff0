import Foundation
import StintCore
import StintReport

/// A report of `stint-bench run` as its JSON has it (`docs/formats/bench-report.md`), as far as a
/// page shows it.
///
/// It reads the documented file and not the types that write it: whoever makes such a file by other
/// means has a page too.
struct BenchReportFile: Decodable {
  static let format = "stint-bench-report/1"

  var format: String
  var program: String
  var version: String
  var mode: String
  var seed: Int
  var repeats: Int
  var scenarios: [Scenario]
  var goals: [Goal]

  struct Scenario: Decodable {
    var name: String
    var title: String
    var description: String
    var trips: Int
    var chunkMeanSeconds: Double
    var checkpointMeanSeconds: Double
    var budgetMeanSeconds: Double
    var oracle: Oracle?
    var strategies: [Strategy]
    var goals: [Goal]
  }

  struct Oracle: Decodable {
    var expectedSavedShare: Double
    var errorPoints: Double
    var sentence: String
  }

  struct Strategy: Decodable {
    var name: String
    var title: String
    var savedShare: Estimate
    var behindOraclePoints: Estimate?
    var lostShare: Estimate
    var checkpointShare: Estimate
    var checkpoints: Int
    var overruns: Overruns
    var tripsToFinish: Estimate?
    var falseClaims: Int
    var findings: [Finding]?
    var life: [Trip]
  }

  struct Finding: Decodable {
    var fault: String
    var trips: Int
    var sentence: String
  }

  struct Estimate: Decodable {
    var mean: Double
    var low: Double
    var high: Double
  }

  struct Overruns: Decodable {
    struct Quantiles: Decodable {
      var p50: Double
      var p99: Double
      var maximum: Double
    }

    struct Bin: Decodable {
      var fromSeconds: Double
      var toSeconds: Double
      var count: Int
    }

    var count: Int
    var trips: Int
    var pastDeadlineSeconds: Quantiles?
    var histogram: [Bin]
  }

  struct Goal: Decodable {
    enum Sense: String, Decodable {
      case atMost, atLeast
    }

    var name: String
    var sentence: String
    var measured: Double
    var limit: Double
    var sense: Sense
    var isKept: Bool
    var explanation: String?
  }

  /// Reads a file.
  ///
  /// - Parameter path: The file.
  /// - Throws: ``StintError``: `io` if it cannot be read, `damaged` if it is no such report.
  init(at path: String) throws {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw StintError(.io, "\(path) cannot be read: \(error.localizedDescription)")
    }
    self = try Self.decoded(data, name: path)
  }

  /// Reads a report's bytes.
  static func decoded(_ data: Data, name: String) throws -> BenchReportFile {
    func refused(_ why: String) -> StintError {
      StintError(
        .damaged,
        "\(name) is no report of stint-bench run: \(why); make one with stint-bench run --json FILE."
      )
    }
    let file: BenchReportFile
    do {
      file = try JSONDecoder().decode(Self.self, from: data)
    } catch DecodingError.keyNotFound(let key, let context) {
      throw refused("\(place(context)) has no \(key.stringValue)")
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context)
    {
      throw refused("\(place(context)) is of another type")
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      throw refused("\(place(context)) has a value that is not known")
    } catch {
      throw refused("it is no JSON of that form")
    }
    guard file.format == format else {
      throw refused("its format is \"\(file.format.prefix(60))\", and \(format) is read here")
    }
    return file
  }

  private static func place(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return path.isEmpty ? "it" : path.joined(separator: ".")
  }
}
