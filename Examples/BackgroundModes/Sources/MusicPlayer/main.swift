// Plays three WAV files, one after another, into a pipe that somebody else reads.
//
//     MusicPlayer PIPE [A.wav B.wav C.wav] [--svg FILE]
//
// A third of the way on it goes to the background for another third, and plays on there.
import Foundation
import Stint

func stop(_ words: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("\(words)\n".utf8))
  exit(status)
}

var words = Array(CommandLine.arguments.dropFirst())
var picture: String?
if let option = words.firstIndex(of: "--svg"), option + 1 < words.count {
  picture = words[option + 1]
  words.removeSubrange(option...option + 1)
}
guard let pipe = words.first, [1, 4].contains(words.count) else {
  stop("usage: MusicPlayer PIPE [A.wav B.wav C.wav] [--svg FILE]", 64)
}
let pieces: [WaveFile]
let player: Player
do {
  pieces =
    words.count == 1
    ? try [(262.0, "c"), (330, "e"), (392, "g")].map { hertz, name in
      try WaveFile(WaveFile.tone(hertz: hertz, milliseconds: 2_000), name: name)
    }
    : try words.dropFirst().map { path in
      let url = URL(fileURLWithPath: path)
      return try WaveFile(Data(contentsOf: url), name: url.lastPathComponent)
    }
  player = try Player(pieces)
} catch {
  stop("\(error)", 65)
}

let application = Application.shared
application.launch()
let use: ModeUse
do {
  try application.declareMode(.audio, because: "It plays the pieces that you gave it.")
  use = try application.useMode(.audio)
} catch {
  stop("\(error)", 69)
}

let sink: Fifo
do { sink = try Fifo(pipe) } catch { stop("\(error)", 73) }
let began = ContinuousClock.now
let session = Session(
  player, to: sink, in: application, elapsed: { began.duration(to: .now) },
  onChange: { piece in print(piece.map { "now playing: \($0)" } ?? "over") })

// A trip to the background in the middle, and the end, each looked for ten times a second.
let trip = player.duration / 3...player.duration / 3 * 2
application.addPeriodicObserver(every: .milliseconds(100)) {
  let elapsed = began.duration(to: .now)
  if trip.contains(elapsed), application.applicationState == .active {
    application.enterBackground()
  }
  if elapsed > trip.upperBound, application.applicationState == .background {
    application.enterForeground()
  }
  guard session.isOver else { return }
  session.end()
  use.end()
  if let failure = session.failure { stop("\(failure)", 74) }
  let background = trip.lowerBound.inSeconds...trip.upperBound.inSeconds
  if let picture {
    let drawing = session.drawing(background: background)
    guard (try? drawing.svg.write(toFile: picture, atomically: true, encoding: .utf8)) != nil else {
      stop("\(picture) cannot be written.", 73)
    }
  }
  print("\(session.player.underruns.count) underruns")
  exit(0)
}
dispatchMain()
