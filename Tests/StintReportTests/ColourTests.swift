import Foundation
import StintReport
import Testing

@Suite("Colours of the page")
struct ColourTests {
  typealias Vector = [Double]

  static let schemes = [("light", ColourScheme.light), ("dark", ColourScheme.dark)]

  /// WCAG 2.2's relative luminance.
  static func linear(_ colour: Colour) -> Vector {
    [colour.red, colour.green, colour.blue].map { channel in
      let value = Double(channel) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
  }

  static func contrast(_ one: Colour, _ other: Colour) -> Double {
    func luminance(_ colour: Colour) -> Double {
      zip(linear(colour), [0.2126, 0.7152, 0.0722]).map(*).reduce(0, +)
    }
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  /// How those see who lack one sort of cones (Machado, Oliveira and Fernandes 2009, severity 1),
  /// on linear light.
  static let sights: [String: [Vector]] = [
    "all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [
      [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
      [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
      [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
      [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
      [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
      [0.004733, 0.691367, 0.303900],
    ],
  ]

  /// The distance of two colours in CIELAB.
  static func distance(_ one: Colour, _ other: Colour, seen sight: [Vector]) -> Double {
    func lab(_ colour: Colour) -> Vector {
      let light = linear(colour)
      let seen = sight.map { row in min(1, max(0, zip(row, light).map(*).reduce(0, +))) }
      let matrix: [Vector] = [
        [0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505],
      ]
      let white: Vector = [0.9505, 1, 1.089]
      let f = zip(matrix, white).map { row, white in
        let value = zip(row, seen).map(*).reduce(0, +) / white
        return value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116
      }
      return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    }
    return sqrt(zip(lab(one), lab(other)).map { ($0 - $1) * ($0 - $1) }.reduce(0, +))
  }

  @Test("black on white has the contrast 21, and a grey that is too light is caught")
  func formula() {
    #expect(abs(Self.contrast(Colour(0), Colour(0xffffff)) - 21) < 1e-9)
    #expect(Self.contrast(Colour(0x959595), Colour(0xffffff)) < 3)
    let (red, green) = (Colour(0xc44a00), Colour(0x4f8000))
    #expect(Self.distance(red, green, seen: Self.sights["all"] ?? []) > 60)
    #expect(Self.distance(red, green, seen: Self.sights["no green"] ?? []) < 25)
  }

  @Test("texts have a contrast of at least 4.5 with both grounds (WCAG AA)", arguments: schemes)
  func texts(name: String, scheme: ColourScheme) {
    for ground in [scheme.ground, scheme.raised] {
      for colour in [scheme.text, scheme.quiet, scheme.link] {
        #expect(Self.contrast(colour, ground) >= 4.5, "\(name) \(colour) on \(ground)")
      }
    }
  }

  @Test(
    "what plots draw has a contrast of at least 3 with both grounds (WCAG AA)", arguments: schemes)
  func shapes(name: String, scheme: ColourScheme) {
    for ground in [scheme.ground, scheme.raised] {
      for colour in [scheme.kept, scheme.lost, scheme.expiry] + scheme.series {
        #expect(Self.contrast(colour, ground) >= 3, "\(name) \(colour) on \(ground)")
      }
    }
  }

  @Test("colours stay apart for those who do not see red, green or blue", arguments: schemes)
  func sight(name: String, scheme: ColourScheme) {
    for colours in [[scheme.kept, scheme.lost, scheme.expiry], scheme.series] {
      for (index, one) in colours.enumerated() {
        for other in colours[(index + 1)...] {
          for (missing, sight) in Self.sights {
            let distance = Self.distance(one, other, seen: sight)
            #expect(distance >= 14, "\(name), \(missing): \(one) \(other) \(distance)")
          }
        }
      }
    }
  }
}
