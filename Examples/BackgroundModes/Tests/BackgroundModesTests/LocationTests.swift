import Foundation
import Stint
import StintTesting
import Testing

@testable import BackgroundModes

/// A walk of ten minutes in virtual time.
@Suite("The recorder")
@MainActor
struct LocationTests {
  private let system = VirtualSystem(policy: .iOS13)
  private let application: Application
  private let track: Track

  init() throws {
    application = Application(system: system)
    system.launch()
    try application.declareMode(.location, because: "It keeps the way that you walk.")
    let url = try #require(Bundle.module.url(forResource: "walk", withExtension: "gpx"))
    track = try Track(gpx: Data(contentsOf: url))
  }

  private func recorder(accuracy: Double = 50) -> Recorder {
    let (clock, start) = (system.clock, system.clock.now)
    return Recorder(
      track, accuracy: accuracy, in: application, elapsed: { start.duration(to: clock.now) })
  }

  /// What the filter keeps of the whole track, without any application.
  private func expected(accuracy: Double = 50) -> [TrackPoint] {
    var updates = FilteredUpdates<TrackPoint>(
      distance: 10, by: { $0.place.distance(to: $1.place) }, accuracy: accuracy)
    for point in track.points { _ = updates.take(point, error: point.error) }
    return updates.history
  }

  @Test("what is kept does not depend on a trip to the background")
  func trip() throws {
    let use = try application.useMode(.location)
    let recorder = recorder()
    system.advance(by: .seconds(200))
    system.enterBackground()
    system.advance(by: .seconds(200))
    #expect(system.lifeState == .background)
    system.enterForeground()
    system.advance(by: .seconds(220))
    recorder.end()
    use.end()
    let kept = recorder.kept
    #expect(kept.map(\.point) == expected())
    #expect(recorder.history == expected())
    for (one, next) in zip(kept, kept.dropFirst()) {
      #expect(one.point.place.distance(to: next.point.place) >= 10)
    }
    #expect(kept.contains { $0.state == .background } && kept.contains { $0.state == .active })
    let svg = recorder.drawing.svg
    #expect(svg.components(separatedBy: "<circle").count - 1 == kept.count)
    #expect(svg.contains("#e60"))
  }

  @Test("without the mode the way in the background is lost")
  func undeclared() {
    let recorder = recorder()
    system.advance(by: .seconds(200))
    system.enterBackground()
    system.advance(by: .seconds(200))
    #expect(system.lifeState == .suspended)
    system.enterForeground()
    system.advance(by: .seconds(220))
    let gap = recorder.kept.map(\.point.at)
    #expect(zip(gap, gap.dropFirst()).contains { $1 - $0 > .seconds(150) })
  }

  @Test("what is not permitted is not seen, and what is less accurate than was chosen is not kept")
  func conditions() throws {
    system.setConditions(ModeConditions(isPermitted: false), of: .location)
    #expect(throws: StintError.self) { try application.useMode(.location) }
    let denied = recorder()
    system.advance(by: .seconds(100))
    #expect(denied.kept.isEmpty)
    denied.end()
    system.setConditions(ModeConditions(accuracy: 3_000), of: .location)
    let reduced = recorder()
    let modest = recorder(accuracy: 3_000)
    system.advance(by: .seconds(100))
    #expect(reduced.kept.isEmpty)
    #expect(!modest.kept.isEmpty)
  }

  @Test("points that are less accurate than was chosen are left out")
  func accuracy() {
    #expect(track.points.contains { $0.error > 10 })
    let recorder = recorder(accuracy: 10)
    system.advance(by: .seconds(620))
    #expect(recorder.kept.allSatisfy { $0.point.error <= 10 })
    #expect(recorder.history == expected(accuracy: 10))
  }

  @Test("what is no track is refused with a sentence; points without a time come each second")
  func tracks() throws {
    for text in ["", "<gpx>", "<gpx></gpx>", "<gpx><trkpt lat=\"91\" lon=\"0\"></trkpt></gpx>"] {
      #expect(throws: Track.Fault.self, "\(text)") { try Track(gpx: Data(text.utf8)) }
    }
    let text =
      "<gpx><trkpt lat=\"1\" lon=\"2\"/><trkpt lat=\"1\" lon=\"x\"/><trkpt lat=\"1\" lon=\"3\"/></gpx>"
    #expect(try Track(gpx: Data(text.utf8)).points.map(\.at) == [.zero, .seconds(1)])
  }
}
