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
    Distribution(.exponential(mean: 4), most: 6),
  ]

  @Test("the mean is the integral of the quantiles", arguments: all)
  func mean(distribution: Distribution) {
    let count = 200_000
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
      if value < distribution.most, !distribution.isConstant {
        #expect(abs(distribution.share(upTo: value) - share) < 1e-6)
      }
    }
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
