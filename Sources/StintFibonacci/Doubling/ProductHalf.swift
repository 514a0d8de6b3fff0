import Stint
import StintCore

/// A product of which one half is done, at no price: the other half takes what is left of it.
protocol ProductHalf: Sendable {
  associatedtype Number: DoublingNumber

  /// Whether the numbers have such a thing.
  static var exists: Bool { get }

  /// The first half's share of the cost of a product.
  static var share: Double { get }

  /// Does the first half.
  static func begun(_ left: Number, _ right: Number, threads: Int) -> Self

  /// Does the other half, of the same factors.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` if the halves do not make up a product.
  func completed(_ left: Number, _ right: Number, threads: Int) throws -> Number

  /// Its words.
  var length: Int { get }

  /// The words of a half, for factors of so many words.
  static func length(factorLengths left: Int, _ right: Int) -> Int

  /// Whether it is one of these factors, modulo a prime.
  func isRight(_ left: Number, _ right: Number) -> Bool

  func encode(into payload: inout CheckpointPayload)

  /// Reads a half without checking its values.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  init(_ reader: inout ByteReader, factorLength: Int) throws
}

/// The half of a product that is done in one call: nothing is done before it.
///
/// No case-less enumeration, though none is ever made: Swift 6.3.1 does not survive specialising for one.
struct NoHalf<Number: DoublingNumber>: ProductHalf {
  static var exists: Bool { false }
  static var share: Double { 0 }

  static func begun(_ left: Number, _ right: Number, threads: Int) -> NoHalf { NoHalf() }

  private init() {}

  func completed(_ left: Number, _ right: Number, threads: Int) throws -> Number {
    .product(left, right, threads: threads)
  }

  var length: Int { 0 }

  static func length(factorLengths left: Int, _ right: Int) -> Int { 0 }

  func isRight(_ left: Number, _ right: Number) -> Bool { false }

  func encode(into payload: inout CheckpointPayload) {}

  init(_ reader: inout ByteReader, factorLength: Int) throws {
    throw StintError(.damaged, "The checkpoint's half of a product is none of a binary number.")
  }
}
