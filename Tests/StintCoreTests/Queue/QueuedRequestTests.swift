import StintCore
import Testing

@Suite("The record of a request")
struct QueuedRequestTests {
  private static let plain =
    #"{"formatVersion":1,"id":"1","kind":"command","words":["a"],"directory":"/","submittedUnixNs":5,"#
    + #""machine":"m","state":"waiting"}"#

  private static func read(_ text: String) throws(JSONFault) -> QueuedRequest {
    try QueuedRequest(contents: Array(text.utf8), of: "1")
  }

  @Test("Q6 whatever a request asks for and however it stands comes back as it was written")
  func roundTrip() throws {
    var terms = RequestTerms(
      launch: LaunchRecord(
        words: ["/bin/echo", "a \"b\"\n", "ü"], directory: "/tmp/a b", umask: 0o27,
        variables: ["HOME"]),
      submitted: WallInstant(nanoseconds: 5), machine: "m")
    terms.name = "nightly"
    terms.earliestBegin = WallInstant(nanoseconds: -7)
    terms.every = .seconds(3_600)
    terms.needs.requirements = [.network, .externalPower]
    terms.needs.mostLoad = 0.5
    terms.needs.leastMemory = 4 << 30
    terms.needs.leastDisk = 20 << 30
    terms.time = .seconds(1_800)
    terms.lead = .seconds(5)
    terms.priority = -3
    terms.afterJob = "7"
    for (work, slices) in [
      (RequestTerms.Work.command, 1), (.chain("chain-1f0c5a93b2d4e687"), 50), (.application, 1),
    ] {
      terms.work = work
      terms.slices = slices
      var request = QueuedRequest(id: "1", terms: terms)
      #expect(try QueuedRequest(contents: request.contents, of: "1") == request)
      for end in [RequestStanding.End.crashed(signal: 6), .vanished, .unfinished, .finished] {
        request.standing.workBegan(now: WallInstant(nanoseconds: 100))
        #expect(try QueuedRequest(contents: request.contents, of: "1") == request)
        request.standing.workEnded(end, terms, now: WallInstant(nanoseconds: 200))
        #expect(try QueuedRequest(contents: request.contents, of: "1") == request)
      }
    }
  }

  @Test("Q6 a record that cannot be true is refused")
  func refused() throws {
    #expect(try Self.read(Self.plain).terms.launch.words == ["a"])
    let faults: [(old: String, new: String)] = [
      (#""formatVersion":1"#, #""formatVersion":2"#), (#""id":"1""#, #""id":"2""#),
      (#""kind":"command""#, #""kind":"other""#), (#""words":["a"]"#, #""words":[]"#),
      (#""words":["a"]"#, #""words":["a\u0000"]"#), (#""directory":"/""#, #""directory":"\u0000""#),
      (#""state":"waiting""#, #""state":"lost""#),
      (#""state":"waiting""#, #""state":"waiting","runs":-1"#),
      (#""state":"waiting""#, #""state":"waiting","runs":9223372036854775807"#),
      (#""state":"waiting""#, #""state":"waiting","everyNs":0"#),
      (#""state":"waiting""#, #""state":"waiting","timeNs":-1"#),
      (#""state":"waiting""#, #""state":"waiting","umask":"1777""#),
      (#""state":"waiting""#, #""state":"waiting","requirements":["gold"]"#),
      (#""kind":"command""#, #""kind":"chain","chain":"c","slices":0"#),
      (#""machine":"m","#, ""),
    ]
    for (old, new) in faults {
      let text = Self.plain.replacing(old, with: new)
      #expect(text != Self.plain)
      #expect(throws: JSONFault.self, "\(new)") { try Self.read(text) }
    }
  }

  @Test("Q6 a wait that nobody could mean is cut")
  func longWait() throws {
    let text = Self.plain.dropLast() + #","retrySinceUnixNs":0,"retryWaitNs":9223372036854775807}"#
    #expect(try Self.read(String(text)).standing.retry?.wait == .seconds(900))
  }
}
