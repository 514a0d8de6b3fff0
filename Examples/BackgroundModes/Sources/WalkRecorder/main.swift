// Replays a GPX track and keeps the points that are 10 m from each other, also in the background.
//
//     WalkRecorder TRACK.gpx [--speed FACTOR] [--svg FILE]
//
// A third of the way on the application goes to the background, and after two thirds it comes back.
import Foundation
import Stint

func stop(_ words: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("\(words)\n".utf8))
  exit(status)
}

var words = Array(CommandLine.arguments.dropFirst())
@MainActor func option(_ name: String) -> String? {
  guard let at = words.firstIndex(of: name), at + 1 < words.count else { return nil }
  defer { words.removeSubrange(at...at + 1) }
  return words[at + 1]
}
let picture = option("--svg")
let speed = option("--speed").map { Double($0) ?? 0 } ?? 60
guard words.count == 1, speed > 0, speed <= 100 else {
  stop("usage: WalkRecorder TRACK.gpx [--speed FACTOR up to 100] [--svg FILE]", 64)
}
let track: Track
do {
  track = try Track(gpx: Data(contentsOf: URL(fileURLWithPath: words[0])))
} catch {
  stop("\(words[0]): \(error)", 65)
}

let application = Application.shared
application.launch()
let use: ModeUse
do {
  try application.declareMode(.location, because: "It keeps the way that you walk.")
  use = try application.useMode(.location)
} catch {
  stop("\(error)", 69)
}
let began = ContinuousClock.now
let recorder = Recorder(
  track, speed: speed, in: application, elapsed: { began.duration(to: .now) })

let whole = (track.points.last?.at ?? .zero) / speed
application.addPeriodicObserver(every: .milliseconds(10)) {
  let elapsed = began.duration(to: .now)
  let isAway = elapsed >= whole / 3 && elapsed < whole / 3 * 2
  if isAway, application.applicationState == .active { application.enterBackground() }
  if !isAway, application.applicationState == .background { application.enterForeground() }
  guard elapsed > whole + .milliseconds(20) else { return }
  recorder.end()
  use.end()
  if let picture {
    guard
      (try? recorder.drawing.svg.write(toFile: picture, atomically: true, encoding: .utf8)) != nil
    else { stop("\(picture) cannot be written.", 73) }
  }
  let away = recorder.kept.filter { $0.state == .background }.count
  print("\(recorder.kept.count) of \(track.points.count) points kept, \(away) in the background")
  exit(0)
}
dispatchMain()
