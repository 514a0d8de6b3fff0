import StintCore

/// Numbers as a report shows them, the same in the terminal and on the page.
package enum NumberText {
  /// A share as per cent, cut and not rounded: 100 is shown only for the whole.
  package static func percent(_ share: Double, decimals: Int = 1) -> String {
    share.isFinite ? fixed(cut(share * 100, decimals: decimals), decimals: decimals) + " %" : "-"
  }

  /// A number with fixed decimals, rounded to the nearest.
  package static func fixed(_ number: Double, decimals: Int) -> String {
    let scale = power(decimals)
    guard number.isFinite, number.magnitude * Double(scale) < 9e18 else { return "-" }
    let units = Int64((number.magnitude * Double(scale)).rounded())
    let sign = number < 0 && units > 0 ? "-" : ""
    guard decimals > 0 else { return sign + grouped(units) }
    let fraction = String(units % scale)
    return sign + grouped(units / scale) + "."
      + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  /// A whole number in groups of three digits.
  package static func grouped(_ number: some BinaryInteger) -> String {
    var result = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0, digit != "-" { result.append(",") }
      result.append(digit)
    }
    return String(result.reversed())
  }

  /// A number and its noun, which gets an s unless there is one of it.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func cut(_ number: Double, decimals: Int) -> Double {
    let scale = Double(power(decimals))
    // A value just below a whole one, because of rounding, counts as whole.
    let scaled = number * scale
    let nearest = scaled.rounded()
    return (abs(scaled - nearest) < 1e-6 ? nearest : scaled.rounded(.down)) / scale
  }

  private static func power(_ decimals: Int) -> Int64 {
    (0..<decimals).reduce(1) { product, _ in product * 10 }
  }
}
