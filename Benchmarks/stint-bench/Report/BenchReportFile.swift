import Foundation
import StintCore
import StintReport
import StintScenarios

/// Reads the JSON that `stint-bench run` writes (`docs/formats/bench-report.md`).
enum BenchReportFile {
  /// Reads a file.
  ///
  /// - Parameter path: The file.
  /// - Returns: The report.
  /// - Throws: ``StintError``: `io` if it cannot be read, `damaged` if it is no such report.
  static func read(_ path: String) throws -> BenchAccount {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw StintError(.io, "\(path) cannot be read: \(error.localizedDescription)")
    }
    return try decoded(data, name: path)
  }

  /// Reads a report's bytes.
  static func decoded(_ data: Data, name: String) throws -> BenchAccount {
    func refused(_ why: String) -> StintError {
      StintError(
        .damaged,
        "\(name) is no report of stint-bench run: \(why); make one with stint-bench run --json FILE."
      )
    }
    var account: BenchAccount
    do {
      account = try JSONDecoder().decode(BenchAccount.self, from: data)
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
    let format = BenchAccount.format
    guard account.format == format else {
      throw refused("its format is \"\(account.format.prefix(60))\", and \(format) is read here")
    }
    account.nameFaults { WorkerFault(rawValue: $0)?.title ?? $0 }
    return account
  }

  private static func place(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return path.isEmpty ? "it" : path.joined(separator: ".")
  }
}

extension BenchAccount {
  /// All sample lives, as a trace has them.
  var tracks: [TraceFile.Track] {
    scenarios.flatMap { scenario in
      scenario.strategies.filter { !$0.life.stints.isEmpty }.map { strategy in
        TraceFile.Track(name: "\(scenario.title): \(strategy.title)", life: strategy.life)
      }
    }
  }
}
