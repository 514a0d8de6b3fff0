import Foundation
import Stint
import StintTesting
import Synchronization
import Testing

@testable import BackgroundModes

/// Three pieces through a trip to the background; no test waits for anything but the last one.
@Suite("The player")
@MainActor
struct AudioTests {
  /// Takes everything, or only so much at a time.
  private final class Memory: Sink {
    let bytes = Mutex(Data())
    let room: Int

    init(room: Int = .max) { self.room = room }

    func write(_ bytes: Data) -> Int {
      self.bytes.withLock { $0 += bytes.prefix(room) }
      return min(room, bytes.count)
    }
  }

  private let system = VirtualSystem(policy: .iOS13)
  private let application: Application
  private let pieces: [WaveFile]

  init() throws {
    application = Application(system: system)
    system.launch()
    try application.declareMode(.audio, because: "It plays the pieces that you gave it.")
    pieces = try [(262.0, 20_000, "a"), (330, 15_005, "b"), (392, 25_000, "c")].map {
      try WaveFile(WaveFile.tone(hertz: $0.0, milliseconds: $0.1), name: $0.2)
    }
  }

  private func session(to sink: Memory) throws -> Session {
    let (clock, start) = (system.clock, system.clock.now)
    return Session(
      try Player(pieces), to: sink, in: application,
      elapsed: { start.duration(to: clock.now) })
  }

  @Test("three pieces are played in order through a trip to the background, without an underrun")
  func trip() throws {
    let memory = Memory()
    let use = try application.useMode(.audio)
    let session = try session(to: memory)
    system.advance(by: .seconds(10))
    system.enterBackground()
    // More than a trip has.
    system.advance(by: .seconds(40))
    #expect(system.lifeState == .background)
    system.enterForeground()
    system.advance(by: .seconds(15))
    #expect(session.isOver)
    session.end()
    use.end()
    #expect(session.player.underruns == [])
    #expect(memory.bytes.withLock { $0 } == pieces.reduce(Data()) { $0 + $1.samples })
    let changes = session.changes
    #expect(changes.map(\.piece) == ["a", "b", "c", nil])
    for (change, start) in zip(changes, session.player.starts) {
      #expect(abs(change.at.inSeconds - start) <= 0.02, "\(change)")
    }
    let svg = session.drawing(background: 10...50).svg
    #expect(svg.contains(">b</text>") && svg.contains("<polyline") && svg.hasSuffix("</svg>\n"))
  }

  @Test("without the mode it stops at suspension, and that is seen as an underrun")
  func undeclared() throws {
    let session = try session(to: Memory())
    system.advance(by: .seconds(10))
    system.enterBackground()
    system.advance(by: .seconds(30))
    #expect(system.lifeState == .suspended)
    system.enterForeground()
    system.advance(by: .seconds(1))
    #expect(session.player.underruns != [])
  }

  @Test("a pause of less than it is ahead is not heard, a longer one is")
  func pauses() throws {
    for (pause, isHeard) in [(150, false), (1_000, true)] {
      let session = try session(to: Memory())
      system.advance(by: .seconds(2))
      system.standStill(for: .milliseconds(pause))
      system.advance(by: .seconds(2))
      #expect(session.player.underruns.isEmpty != isHeard, "\(pause) ms")
      session.end()
    }
  }

  @Test("a pipe that takes little at a time gets every byte once")
  func narrow() throws {
    let memory = Memory(room: 100)
    var player = try Player(pieces)
    var elapsed = Duration.zero
    while player.written < pieces.reduce(0, { $0 + $1.samples.count }) {
      try player.tick(memory, at: elapsed)
      elapsed += .milliseconds(10)
    }
    #expect(memory.bytes.withLock { $0 } == pieces.reduce(Data()) { $0 + $1.samples })
  }

  @Test("what is no WAV file, is cut off, or has another format is refused with a sentence")
  func refused() throws {
    let whole = WaveFile.tone(hertz: 440, milliseconds: 100)
    for count in 0..<whole.count {
      #expect(throws: WaveFile.Fault.self) { try WaveFile(whole.prefix(count), name: "a.wav") }
    }
    var compressed = whole
    compressed[20] = 85
    #expect(throws: WaveFile.Fault.self) { try WaveFile(compressed, name: "a.wav") }
    var other = try WaveFile(whole, name: "b.wav")
    other.format.rate = 44_100
    #expect(throws: WaveFile.Fault.self) { try Player(pieces + [other]) }
    #expect(throws: WaveFile.Fault.self) { try Player([]) }
  }

  @Test("a real pipe gets the same bytes from a real system")
  func real() async throws {
    let path = NSTemporaryDirectory() + "stint-music-\(UUID().uuidString)"
    defer { unlink(path) }
    try #require(mkfifo(path, 0o600) == 0)
    let (heard, hear) = AsyncStream.makeStream(of: Data.self)
    Thread.detachNewThread {
      hear.yield(Self.everything(in: path))
      hear.finish()
    }
    let pieces = try [262.0, 330, 392].map {
      try WaveFile(WaveFile.tone(hertz: $0, milliseconds: 200), name: "\($0)")
    }
    let application = Application(system: try InProcessSystem(policy: .iOS13))
    application.launch()
    try application.declareMode(.audio, because: "It plays the pieces that you gave it.")
    let use = try application.useMode(.audio)
    application.enterBackground()
    let (over, end) = AsyncStream.makeStream(of: Void.self)
    let began = ContinuousClock.now
    var session: Session? = Session(
      try Player(pieces), to: try Fifo(path), in: application,
      elapsed: { began.duration(to: .now) }, onChange: { if $0 == nil { end.finish() } })
    for await _ in over {}
    #expect(session?.failure == nil)
    session?.end()
    session = nil
    use.end()
    var all = Data()
    for await part in heard { all += part }
    #expect(all == pieces.reduce(Data()) { $0 + $1.samples })
  }

  /// Reads a pipe until its writer closes it.
  private nonisolated static func everything(in path: String) -> Data {
    var all = Data()
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return all }
      all += buffer.prefix(count)
    }
  }
}
