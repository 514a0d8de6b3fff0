import Foundation
import StintCore

/// The folder of a scenario, in which its CSV files are.
package struct ScenarioFolder: Hashable, Sendable {
  /// The most bytes of a CSV file.
  static let mostBytes = 1 << 24
  /// What a name must be.
  static let rule = "must be the name of a .csv file beside the scenario"

  private let path: String

  package init(of scenario: String) {
    path = URL(filePath: scenario).deletingLastPathComponent().path(percentEncoded: false)
  }

  /// Whether a name is that of a CSV file in a folder, and in no other.
  static func canHold(_ name: String) -> Bool {
    name.hasSuffix(".csv") && name.count > 4 && !name.contains("/") && !name.contains("\0")
  }

  /// Reads a CSV file.
  func table(_ name: String) throws(StintError) -> CSVTable {
    let file = URL(filePath: path).appending(path: name).path(percentEncoded: false)
    let data = try ScenarioFile.contents(file, most: Self.mostBytes)
    return try CSVTable(String(decoding: data, as: UTF8.self), name: name)
  }
}

extension CodingUserInfoKey {
  /// Where CSV files are looked for.
  static let scenarioFolder = CodingUserInfoKey(rawValue: "scenarioFolder").unsafelyUnwrapped
}
