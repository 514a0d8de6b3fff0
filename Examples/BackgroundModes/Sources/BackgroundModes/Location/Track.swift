import Foundation
import FoundationXML
import Stint

/// A point of a track.
struct TrackPoint: Hashable {
  var place: Coordinate
  /// Since the first point.
  var at: Duration
  /// How far from the truth it may be, in metres.
  var error: Double
}

/// The points of a GPX file, in order of time.
struct Track {
  /// Why a file is none.
  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  var points: [TrackPoint]

  /// Reads a file of GPX 1.0 or 1.1; points without a time come a second after the one before.
  init(gpx data: Data) throws {
    let reader = Reader()
    let parser = XMLParser(data: data)
    parser.delegate = reader
    guard parser.parse() else {
      throw Fault(description: "The track is not XML, in line \(parser.lineNumber).")
    }
    guard !reader.points.isEmpty else {
      throw Fault(description: "The track has no point (trkpt) with a latitude and a longitude.")
    }
    points = reader.points.sorted { $0.at < $1.at }
  }

  /// The place of a receiver at a time: the newest point until then.
  func point(at elapsed: Duration) -> TrackPoint? { points.last { $0.at <= elapsed } }

  /// Collects what it comes by.
  private final class Reader: NSObject, XMLParserDelegate {
    /// A dilution of precision of 1 is an error of so many metres, for a usual receiver.
    private static let metresPerDilution = 5.0

    var points: [TrackPoint] = []
    private var point: TrackPoint?
    private var first: Date?
    private var text = ""
    private let dates = ISO8601DateFormatter()

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      text = ""
      guard element == "trkpt" else { return }
      point = nil
      guard let latitude = attributes["lat"].flatMap(Double.init),
        let longitude = attributes["lon"].flatMap(Double.init),
        abs(latitude) <= 90, abs(longitude) <= 360
      else { return }
      point = TrackPoint(
        place: Coordinate(latitude: latitude, longitude: longitude),
        at: points.last.map { $0.at + .seconds(1) } ?? .zero, error: Self.metresPerDilution)
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

    func parser(
      _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
      qualifiedName: String?
    ) {
      let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
      switch element {
      case "time":
        guard point != nil, let date = dates.date(from: words) else { return }
        first = first ?? date
        point?.at = .milliseconds(Int64(date.timeIntervalSince(first ?? date) * 1000))
      case "hdop":
        if let dilution = Double(words) { point?.error = dilution * Self.metresPerDilution }
      case "trkpt":
        if let point { points.append(point) }
        point = nil
      case _:
        break
      }
    }
  }
}
