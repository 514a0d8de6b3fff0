// What the pieces of a split product cost.

extension SplitProduct {
  /// The cost of an operation that makes values.
  func valueCost(isSquare: Bool, threads: Int) -> Double {
    let own = Self.atOnce(threads) > 1 ? 1 : threads
    // A value is a little longer than a part.
    let length = spacing + 2
    let product =
      isSquare
      ? Number.squaringCost(length: length, threads: own)
      : Number.productCost(length: length, threads: own)
    let horner = Double(parts) * Number.combinationCost(length: spacing, threads: own)
    let one = product + (isSquare ? 1 : 2) * horner
    return own < threads ? DoublingCost.sharing * one : one
  }

  func cost(of pass: Pass, threads: Int) -> Double {
    let combination = Number.combinationCost(length: 2 * spacing, threads: 1)
    let shared = Double(max(threads, 1))
    switch pass {
    case .differences(let point), .coefficients(let point):
      return Double(degree - point) * combination / shared
    case .division:
      return Double(degree) * Number.divisionCost(length: 2 * spacing) / shared
    case .sum:
      return Double(degree + 1) * combination
    }
  }

  /// The cost of the next operation.
  func cost(isSquare: Bool, threads: Int) -> Double {
    needsFactors
      ? valueCost(isSquare: isSquare, threads: threads) : cost(of: pass(passes), threads: threads)
  }

  /// The cost of the hardest operation from here on.
  func hardestCost(isSquare: Bool, threads: Int) -> Double {
    let hardest = (passes..<Self.passCount(degree: degree)).reduce(0.0) {
      max($0, cost(of: pass($1), threads: threads))
    }
    return needsFactors ? max(valueCost(isSquare: isSquare, threads: threads), hardest) : hardest
  }

  /// The cost from here to the end.
  func remainingCost(isSquare: Bool, threads: Int) -> Double {
    let atOnce = Self.atOnce(threads)
    let products = (degree + 1 - values.count + atOnce - 1) / atOnce
    let values = Double(products) * valueCost(isSquare: isSquare, threads: threads)
    return (passes..<Self.passCount(degree: degree)).reduce(values) {
      $0 + cost(of: pass($1), threads: threads)
    }
  }
}
