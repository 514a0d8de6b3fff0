import Foundation
import Stint
import Testing

@testable import BackgroundModes

@Suite("Distances on the sphere")
struct CoordinateTests {
  private static func place(_ north: [Double], _ east: [Double]) -> Coordinate {
    func degrees(_ parts: [Double]) -> Double { parts[0] + parts[1] / 60 + parts[2] / 3600 }
    return Coordinate(
      latitude: degrees(north.map { $0 }), longitude: degrees(east.map { $0 }))
  }

  @Test("Los Angeles to New York is 0.623585 radians (E. Williams, Aviation Formulary)")
  func aviationFormulary() {
    let from = Self.place([33, 57, 0], [-118, -24, 0])
    let to = Self.place([40, 38, 0], [-73, -47, 0])
    #expect(abs(from.distance(to: to) / Coordinate.earthRadius - 0.623585) < 0.000001)
  }

  @Test("Land's End to John o' Groats is 968.9 km (C. Veness, movable-type.co.uk)")
  func movableType() {
    let from = Self.place([50, 3, 59], [-5, -42, -53])
    let to = Self.place([58, 38, 38], [-3, -4, -12])
    #expect(abs(from.distance(to: to) - 968_900) < 50)
  }

  @Test("Nashville to Los Angeles is 2,886.444 km on a sphere of 6,371 km (Rosetta Code)")
  func rosettaCode() {
    let from = Coordinate(latitude: 36.12, longitude: -86.67)
    let to = Coordinate(latitude: 33.94, longitude: -118.40)
    let scale = 6_371_000 / Coordinate.earthRadius
    #expect(abs(from.distance(to: to) * scale - 2_886_444.442_837_98) < 0.001)
  }

  @Test(
    "Flinders Peak to Buninyong is within 0.6 % of the way on the ellipsoid (GDA technical manual)"
  )
  func ellipsoid() {
    let from = Self.place([-37, -57, -3.72030], [144, 25, 29.52440])
    let to = Self.place([-37, -39, -10.15610], [143, 55, 35.38390])
    #expect(abs(from.distance(to: to) / 54_972.271 - 1) < 0.006)
  }

  @Test("the formula keeps its digits near and far, and across the date line")
  func corners() {
    let place = Coordinate(latitude: 10, longitude: 179.999_999)
    #expect(place.distance(to: place) == 0)
    let across = Coordinate(latitude: 10, longitude: -179.999_999)
    let metre = 2e-6 * .pi / 180 * cos(10 * .pi / 180) * Coordinate.earthRadius
    #expect(abs(place.distance(to: across) / metre - 1) < 1e-6)
    let poles = Coordinate(latitude: 90, longitude: 0)
      .distance(to: Coordinate(latitude: -90, longitude: 77))
    #expect(abs(poles - .pi * Coordinate.earthRadius) < 1)
    let opposite = Coordinate(latitude: 37.3, longitude: 12.7)
      .distance(to: Coordinate(latitude: -37.3, longitude: -167.3))
    #expect(abs(opposite - .pi * Coordinate.earthRadius) < 1)
  }

  @Test("a filter measures by it")
  func filter() {
    var updates = FilteredUpdates<Coordinate>(distance: 10, by: { $0.distance(to: $1) })
    // A thousandth of a minute of arc is 1.85 m.
    for step in 0..<60 {
      _ = updates.take(Coordinate(latitude: Double(step) / 60_000, longitude: 0))
    }
    #expect(
      updates.history.map { Int(($0.latitude * 60_000).rounded()) }
        == Array(stride(from: 0, to: 60, by: 6)))
  }
}
