import Foundation
import StintCore

/// A member's name, whatever it is.
struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { return nil }
}

/// Reads the members of one JSON object and refuses what it does not know, with the name and the
/// range in a sentence.
struct ObjectReader {
  private let container: KeyedDecodingContainer<MemberName>
  private let path: [any CodingKey]

  init(_ decoder: any Decoder, allowed: [String]) throws {
    path = decoder.codingPath
    do {
      container = try decoder.container(keyedBy: MemberName.self)
    } catch {
      throw Self.refused(
        path, "must be an object with the members \(allowed.joined(separator: ", "))")
    }
    for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue })
    where !allowed.contains(key.stringValue) {
      let advice = NearestName.find(key.stringValue, among: allowed).map { "; did you mean \($0)?" }
      throw Self.refused(
        path + [key],
        "is not known here" + (advice ?? "; known are \(allowed.joined(separator: ", "))"))
    }
  }

  init<Key: RawRepresentable<String> & CaseIterable>(_ decoder: any Decoder, _: Key.Type) throws {
    try self.init(decoder, allowed: Key.allCases.map(\.rawValue))
  }

  /// A refusal that names the member.
  static func refused(_ path: [any CodingKey], _ what: String) -> StintError {
    let name = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    let member = name.isEmpty ? "The scenario" : "The member \(name.drop { $0 == "." })"
    return StintError(.usage, "\(member) \(what).")
  }

  func refused(_ name: String, _ what: String) -> StintError {
    Self.refused(path + [MemberName(name)], what)
  }

  func has(_ name: String) -> Bool {
    container.contains(MemberName(name))
  }

  func value<Value: Decodable>(_ name: String, _ kind: String) throws -> Value {
    try value(name, kind) { try container.decode(Value.self, forKey: MemberName(name)) }
  }

  func value<Value: DecodableWithConfiguration>(
    _ name: String, _ kind: String, _ configuration: Value.DecodingConfiguration
  ) throws -> Value {
    try value(name, kind) {
      try container.decode(
        Value.self, forKey: MemberName(name), configuration: configuration)
    }
  }

  private func value<Value>(
    _ name: String, _ kind: String, _ decode: () throws -> Value
  ) throws -> Value {
    guard has(name) else { throw refused(name, "is missing; it must be \(kind)") }
    do {
      return try decode()
    } catch let error as StintError {
      throw error
    } catch {
      throw refused(name, "must be \(kind)")
    }
  }

  func number(_ name: String, in range: ClosedRange<Double>, default: Double? = nil) throws
    -> Double
  {
    if let `default`, !has(name) { return `default` }
    let kind = "a number from \(range.lowerBound.short) to \(range.upperBound.short)"
    let number: Double = try value(name, kind)
    guard range.contains(number) else {
      throw refused(name, "is \(number.short); it must be \(kind)")
    }
    return number
  }

  func optionalNumber(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    has(name) ? try number(name, in: range) : nil
  }

  func integer(_ name: String, in range: ClosedRange<Int>, default: Int) throws -> Int {
    guard has(name) else { return `default` }
    let kind = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    let number: Int = try value(name, kind)
    guard range.contains(number) else { throw refused(name, "is \(number); it must be \(kind)") }
    return number
  }

  func text(_ name: String, default: String? = nil) throws -> String {
    if let `default`, !has(name) { return `default` }
    return try value(name, "a text")
  }

  func optional<Value: Decodable>(_ name: String, _ kind: String) throws -> Value? {
    has(name) ? try value(name, kind) : nil
  }

  func distribution(
    _ name: String, _ unit: DistributionUnit = .seconds, default: Distribution? = nil
  ) throws -> Distribution {
    if let `default`, !has(name) { return `default` }
    let kind = "a distribution such as {\"kind\": \"constant\", \"\(unit.name(""))\": 1}"
    return try value(name, kind, unit)
  }

  func optionalFactor(_ name: String) throws -> Distribution? {
    has(name) ? try distribution(name, .factor) : nil
  }
}

extension Double {
  /// The number as a person writes it.
  var short: String {
    self == rounded() && magnitude < 1e15 ? String(Int64(self)) : String(self)
  }
}
