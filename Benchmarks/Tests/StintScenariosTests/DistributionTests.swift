import Testing

@testable import StintScenarios

@Suite("Distributions")
struct DistributionTests {
  static let all: [Distribution] = [
    .constant(1.5), Distribution(.uniform(from: 1, to: 3)),
    Distribution(.uniform(from: 1, to: 3), most: 2),
    Distribution(.logNormal(mean: 2, sigma: 0.5)),
    Distribution(.logNormal(mean: 2, sigma: 1), most: 5),
    Distribution(.pareto(mean: 1, shape: 1.5), most: 20), Distribution(.exponential(mean: 4)),
    Distribution(.exponential(mean: 4), most: 6), mixture,
    Distribution(.mixture([.init(weight: 3, Distribution(.exponential(mean: 2)))])),
    Distribution(.listed(.init(file: "x.csv", column: "x", values: [3, 1, 2, 2, 7]))),
  ]

  static let mixture = Distribution(
    .mixture([
      .init(weight: 3, Distribution(.logNormal(mean: 1, sigma: 0.2))),
      .init(weight: 1, .constant(5)),
      .init(weight: 1, Distribution(.pareto(mean: 2, shape: 1.5), most: 20)),
    ]))

  @Test("the mean is the integral of the quantiles", arguments: all)
  func mean(distribution: Distribution) {
    var count = 200_000
    if case .mixture = distribution.shape { count = 10_000 }
    let sum = (0..<count).reduce(0.0) {
      $0 + distribution.quantile((Double($1) + 0.5) / Double(count))
    }
    #expect(abs(sum / Double(count) - distribution.mean) < 2e-3 * distribution.mean)
  }

  @Test("the share up to a quantile is its share", arguments: all)
  func inverse(distribution: Distribution) {
    for share in stride(from: 0.05, to: 0.96, by: 0.05) {
      let value = distribution.quantile(share)
      #expect(distribution.share(upTo: value * (1 + 1e-9)) >= share - 1e-6)
      if value < distribution.most, distribution.isSmooth(at: value) {
        #expect(abs(distribution.share(upTo: value) - share) < 1e-6)
      }
    }
  }

  @Test("draws are spread as the quantiles are", arguments: all)
  func draws(distribution: Distribution) {
    let count = 20_000
    let drawn = (0..<count).map { distribution.draw((Double($0) + 0.5) / Double(count)) }.sorted()
    for index in stride(from: 400, to: count, by: 1_600) {
      let value = distribution.quantile((Double(index) + 0.5) / Double(count))
      #expect(abs(drawn[index] - value) <= 0.01 * value)
    }
  }

  @Test("a mixture of one part is that part, and one with a rare part keeps it")
  func parts() {
    let part = Distribution(.exponential(mean: 2))
    let one = Distribution(.mixture([.init(weight: 0.5, part)]))
    for unit in stride(from: 0.01, to: 1, by: 0.01) {
      #expect(abs(one.draw(unit) - part.draw(unit)) < 1e-9)
      #expect(abs(one.quantile(unit) - part.quantile(unit)) < 1e-9)
    }
    let rare = Distribution(
      .mixture([.init(weight: 1e6, .constant(1)), .init(weight: 1, .constant(1_000))]))
    #expect(abs(rare.mean - 1.000_999) < 1e-6)
    #expect(rare.quantile(0.99) == 1 && rare.draw(1 - 1e-9) == 1_000)
    let masses = TimeMasses(rare, step: 1, least: 1)
    #expect(masses.steps == [1, 1_000])
    #expect(abs(masses.masses[1] - 1 / 1_000_001) < 1e-12)
    #expect(!rare.isConstant && one.leastPartMean == 2)
    #expect(
      Distribution(.mixture([.init(weight: 1, .constant(2)), .init(weight: 2, .constant(2))]))
        .isConstant)
  }

  @Test("the quantile of a mixture is the least time up to which the share lies")
  func atoms() {
    let steps = Distribution(
      .mixture([.init(weight: 1, .constant(1)), .init(weight: 1, .constant(3))]))
    #expect(steps.quantile(0.25) == 1 && steps.quantile(0.5) == 1)
    #expect(steps.quantile(0.500_001) == 3 && steps.quantile(0.99) == 3)
    let listed = Distribution(.listed(.init(file: "x.csv", column: "x", values: [2, 1])))
    #expect(listed.quantile(0.5) == 1 && listed.quantile(0.51) == 2 && listed.quantile(1) == 2)
    #expect(listed.share(upTo: 0.9) == 0 && listed.share(upTo: 1) == 0.5)
  }

  @Test("the normal quantile agrees with published values")
  func normal() {
    // Abramowitz and Stegun, table 26.5 and 26.6.
    for (share, value) in [
      (0.975, 1.959963984540054), (0.99, 2.326347874040841), (0.5, 0.0),
      (0.001, -3.090232306167814),
      (1e-9, -5.997807015007687),
    ] {
      #expect(abs(Normal.quantile(share) - value) < 1e-9)
    }
  }
}

extension Distribution {
  /// Whether no single time has a share of its own there.
  fileprivate func isSmooth(at value: Double) -> Bool {
    share(upTo: value) - share(upTo: value * (1 - 1e-9)) < 1e-6
  }
}
