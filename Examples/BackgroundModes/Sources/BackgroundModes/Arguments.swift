import Foundation

/// What the command line asks for: each name of a tab is followed by the tab's own words.
@MainActor
struct Arguments {
  private static let usage = """
    usage: BackgroundModes TAB... [--for SECONDS], where a TAB is one of
      audio PIPE [A.wav B.wav C.wav] [--svg FILE]
      location TRACK.gpx [--speed FACTOR up to 100] [--svg FILE]
      whatever
      fetch
    """

  private(set) var tabs: [any Tab] = []
  /// How long the program lives, if that was said.
  private(set) var length: Duration?

  init(_ words: some Sequence<String>) throws {
    var words = Array(words)
    if let text = Self.takeOption("--for", from: &words) {
      guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else { throw Self.mistake }
      length = .milliseconds(Int64(seconds * 1000))
    }
    while !words.isEmpty {
      let name = words.removeFirst()
      let end = words.firstIndex { Self.tabs[$0] != nil } ?? words.endIndex
      guard let make = Self.tabs[name] else { throw Self.mistake }
      var own = Array(words[..<end])
      words.removeSubrange(..<end)
      tabs.append(try make(&own))
    }
    guard !tabs.isEmpty else { throw Self.mistake }
  }

  /// What this process was started with; a mistake ends it.
  static var ofThisProcess: Arguments {
    do { return try Arguments(CommandLine.arguments.dropFirst()) } catch { stop(error) }
  }

  private static let mistake = Failure(usage, 64)

  private static let tabs: [String: (inout [String]) throws -> any Tab] = [
    "audio": { words in
      let picture = takeOption("--svg", from: &words)
      guard let pipe = words.first, [1, 4].contains(words.count) else { throw mistake }
      do {
        let pieces = try AudioController.pieces(words.dropFirst())
        return AudioController(try Player(pieces), picture: picture) { try Fifo(pipe) }
      } catch {
        throw Failure("\(error)", 65)
      }
    },
    "location": { words in
      let picture = takeOption("--svg", from: &words)
      let speed = takeOption("--speed", from: &words).map { Double($0) ?? 0 } ?? 60
      guard words.count == 1, speed > 0, speed <= 100 else { throw mistake }
      do {
        let track = try Track(gpx: Data(contentsOf: URL(fileURLWithPath: words[0])))
        return LocationController(track, speed: speed, picture: picture)
      } catch {
        throw Failure("\(words[0]): \(error)", 65)
      }
    },
    "whatever": { words in
      guard words.isEmpty else { throw mistake }
      return WhateverController()
    },
    "fetch": { words in
      guard words.isEmpty else { throw mistake }
      return FetchController()
    },
  ]

  private static func takeOption(_ name: String, from words: inout [String]) -> String? {
    guard let at = words.firstIndex(of: name), at + 1 < words.count else { return nil }
    defer { words.removeSubrange(at...at + 1) }
    return words[at + 1]
  }
}

/// Says why the program ends, and ends it.
func stop(_ error: any Error) -> Never {
  let failure = error as? Failure ?? Failure("\(error)", 70)
  FileHandle.standardError.write(Data("\(failure.words)\n".utf8))
  exit(failure.status)
}
