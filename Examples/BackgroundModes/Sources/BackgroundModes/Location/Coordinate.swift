import Foundation

/// A place on the earth, taken as a sphere.
struct Coordinate: Hashable, Sendable {
  /// Degrees north of the equator, from -90 to 90.
  var latitude: Double
  /// Degrees east of Greenwich; a whole turn more or less is the same place.
  var longitude: Double

  /// The mean radius of the earth in metres.
  ///
  /// A third of twice the equatorial and once the polar radius of GRS 80 (Moritz, "Geodetic
  /// Reference System 1980").
  static let earthRadius = 6_371_008.7714

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north of the equator.
  ///   - longitude: Degrees east of Greenwich.
  init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The metres along the great circle to another place.
  ///
  /// The haversine formula (R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68, 1984),
  /// which keeps its digits for places that are near each other. The earth is flattened, so the way
  /// differs from that on the ellipsoid by up to 0.6 %.
  ///
  /// - Parameter other: The other place.
  /// - Returns: The distance in metres, at least zero.
  func distance(to other: Coordinate) -> Double {
    let (latitude, otherLatitude) = (Self.radians(latitude), Self.radians(other.latitude))
    let north = sin((otherLatitude - latitude) / 2)
    let east = sin(Self.radians(other.longitude - longitude) / 2)
    let haversine = north * north + cos(latitude) * cos(otherLatitude) * east * east
    // Rounding may lift it above 1 for places that are opposite each other.
    return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
  }

  private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
