/// What decides a job's result, in canonical form: names and values, sorted by name.
///
/// Two jobs with equal kind, parameters and output are the same job.
public struct JobParameters: Hashable, Sendable {
  /// The parameters by name.
  public let values: [String: String]

  /// Creates parameters.
  public init(_ values: [String: String]) {
    self.values = values
  }

  /// One line a parameter, `name=value`, sorted by name, with `%`, `=` and control characters
  /// written as `%XX`: the bytes that are hashed.
  public var canonicalText: String {
    values.sorted { $0.key < $1.key }
      .map { "\(Self.escaped($0.key))=\(Self.escaped($0.value))\n" }
      .joined()
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0..<32, 127, UInt8(ascii: "%"), UInt8(ascii: "="):
        let hex = String(byte, radix: 16, uppercase: true)
        result += "%" + (hex.count == 1 ? "0" + hex : hex)
      default:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result
  }
}

extension JobParameters: ExpressibleByDictionaryLiteral {
  /// Creates parameters from a literal; a name that is given twice traps.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(Dictionary(uniqueKeysWithValues: elements))
  }
}
