import StintCore
import StintRuntime

/// A product of which one stage or more is done.
///
/// A stage is an operation, after which the work can be cut, and all together take no longer than
/// the product in one call. Stages are counted from 0; before the first one, a product is nothing
/// but its factors. As long as the factors are needed, the product can be given up.
protocol StagedProduct: Sendable {
  associatedtype Number: DoublingNumber

  /// Whether the numbers have such a thing.
  static var exists: Bool { get }

  /// The costs of all stages of a product of two numbers of that many words; with each other, that
  /// of the product.
  static func costs(length: Int, isSquare: Bool, threads: Int) -> [Double]

  /// Does the first stage.
  static func begun(_ left: Number, _ right: Number, threads: Int) -> Self

  /// How many stages are done.
  var done: Int { get }

  /// Whether a stage that is still to come takes the factors; else what is done stands for them.
  var needsFactors: Bool { get }

  /// Does the next stage.
  ///
  /// - Parameters:
  ///   - factors: Gives the factors; called only if they are not at hand.
  ///   - threads: How many threads it may use.
  /// - Returns: The stages with this one, or the product.
  /// - Throws: ``StintError`` with the code `checkFailed` if what is done is of no product of
  ///   these.
  func advanced(
    _ factors: () -> (Number, Number), threads: Int
  ) throws -> StageAdvance<Self>

  /// Its words.
  var length: Int { get }

  /// The most words that one has while the factors are needed and afterwards, for factors of so
  /// many words.
  static func lengths(factorLength: Int) -> (withFactors: Int, alone: Int)

  /// This product if its factors equal these modulo a prime, else nil; only while the factors are
  /// needed.
  func verified(_ left: Number, _ right: Number) -> Self?

  /// What the product will be modulo ``DoublingNumber/modular``; once the factors are not needed.
  func residueOfProduct() -> UInt64

  func encode(into payload: inout CheckpointPayload)

  /// Reads one without checking its values.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  init(_ reader: inout ByteReader, factorLength: Int) throws
}

/// What a stage made.
enum StageAdvance<Product: StagedProduct> {
  case more(Product)
  case complete(Product.Number)
}

/// The product that is done in one call: there are no stages.
///
/// No case-less enumeration, though none is ever made: Swift 6.3.1 does not survive specialising
/// for one.
struct NoStages<Number: DoublingNumber>: StagedProduct {
  static var exists: Bool { false }

  static func costs(length: Int, isSquare: Bool, threads: Int) -> [Double] { [] }

  static func begun(_ left: Number, _ right: Number, threads: Int) -> NoStages { NoStages() }

  private init() {}

  var done: Int { 0 }

  var needsFactors: Bool { true }

  func advanced(
    _ factors: () -> (Number, Number), threads: Int
  ) throws -> StageAdvance<NoStages> {
    let (left, right) = factors()
    return .complete(.product(left, right, threads: threads))
  }

  var length: Int { 0 }

  static func lengths(factorLength: Int) -> (withFactors: Int, alone: Int) { (0, 0) }

  func verified(_ left: Number, _ right: Number) -> NoStages? { nil }

  func residueOfProduct() -> UInt64 { 0 }

  func encode(into payload: inout CheckpointPayload) {}

  init(_ reader: inout ByteReader, factorLength: Int) throws {
    throw StintError(
      .damaged, "The checkpoint's stages of a product do not belong to a binary number.")
  }
}
