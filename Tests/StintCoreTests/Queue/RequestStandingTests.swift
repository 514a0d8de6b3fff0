import Foundation
import StintCore
import Testing

@Suite("How a request stands")
struct RequestStandingTests {
  private typealias End = RequestStanding.End

  /// Every way in which a run can end, with the words for it.
  private static let ends: [(words: String, end: End)] = [
    ("the work is done", .finished),
    ("75: it is saved and unfinished", .unfinished),
    ("cut: its time was over, or it was told to end, and it did not say that it saved", .cut),
    ("a status that each run would repeat (64, 65, 70, 73)", .failed(status: 65, isCertain: true)),
    ("another status", .failed(status: 3, isCertain: false)),
    ("69 or 74: something is missing or cannot be written", .hindered(status: 74)),
    ("crashed by a signal that nobody sent", .crashed(signal: 11)),
    ("told to end by whoever serves the queue, or paused", .interrupted),
    ("whoever ran it is gone without a word", .vanished),
    ("a slice of a chain, which decides itself", .slice),
    ("stopped by somebody", .stopped),
  ]

  private static let start = WallInstant(nanoseconds: 1_000_000_000_000_000_000)

  private static func at(_ seconds: Int64) -> WallInstant {
    start.advanced(by: .seconds(seconds))
  }

  private static func terms(every: Duration? = nil, slices: Int = 1) -> RequestTerms {
    var terms = RequestTerms(
      launch: LaunchRecord(words: ["/bin/true"], directory: "/"), submitted: start, machine: "m")
    terms.every = every
    terms.slices = slices
    return terms
  }

  /// A request whose work has begun and takes an hour.
  private static func running(deaths: Int = 0) -> RequestStanding {
    var standing = RequestStanding()
    for _ in 0..<deaths {
      standing.workBegan(now: at(0))
      standing.workEnded(.crashed(signal: 9), terms(), now: at(0))
    }
    standing.workBegan(now: at(0))
    return standing
  }

  /// A request in a state.
  private static func standing(_ state: RequestStanding.State) -> RequestStanding {
    var standing = RequestStanding()
    if state == .waiting { return standing }
    standing.workBegan(now: at(0))
    switch state {
    case .waiting, .running: break
    case .done: standing.workEnded(.finished, terms(), now: at(1))
    case .setAside: standing.workEnded(.failed(status: 65, isCertain: true), terms(), now: at(1))
    case .stopped: standing.workEnded(.stopped, terms(), now: at(1))
    }
    return standing
  }

  // MARK: The page

  private static func words(_ state: RequestStanding.State) -> String {
    state == .setAside ? "set aside" : state.rawValue
  }

  private static func words(_ standing: RequestStanding) -> String {
    guard standing.state == .waiting else { return words(standing.state) }
    if standing.repetitions > 0 { return "the next repetition" }
    let when = standing.retry.map { "again in \($0.wait.compactText)" } ?? "again"
    return standing.deaths == 0 ? when : "\(when), \(standing.deaths) counted"
  }

  private static func next(
    _ end: End, _ terms: RequestTerms, deaths: Int = 0, madeProgress: Bool = false
  ) -> String {
    var standing = running(deaths: deaths)
    standing.workEnded(end, terms, madeProgress: madeProgress, now: at(3_600))
    return words(standing)
  }

  private static let events: [(words: String, event: @Sendable (inout RequestStanding) -> Void)] = [
    ("the work begins", { $0.workBegan(now: at(9)) }),
    ("a run ends", { $0.workEnded(.finished, terms(), now: at(9)) }),
    ("somebody stops it", { $0.stopAsked(now: at(9)) }),
    ("somebody resumes it", { $0.resumed() }),
  ]

  /// The page, from the value itself.
  private static var page: String {
    let states = RequestStanding.State.allCases
    var lines = [
      "# Requests of a machine's queue, end by end", "",
      "How a request stands after each event, written by `scripts/tables` from `RequestStanding`. An",
      "empty cell: nothing changes.", "",
      "| event | " + states.map(words).joined(separator: " | ") + " |",
      "|---|" + states.map { _ in "---|" }.joined(),
    ]
    for (words, event) in events {
      let cells = states.map { state in
        let before = standing(state)
        var after = before
        event(&after)
        return after == before
          ? ""
          : state == .running && words == "a run ends"
            ? "as below" : self.words(after.state)
      }
      lines.append("| \(words) | \(cells.joined(separator: " | ")) |")
    }
    lines += [
      "", "## The end of a run", "",
      "\"Counted\" are runs in a row that crashed, were hindered or were cut, and saved nothing new;",
      "three of them set the request aside. \"Again\" is at once, but a second after the run before had",
      "begun. The wait after a run that went wrong doubles each time, up to 15 minutes.", "",
      "| a run ended | the first | of a repetition | after two counted | and saved something new | "
        + "the last slice of a chain |",
      "|---|---|---|---|---|---|",
    ]
    for (words, end) in ends {
      let cells = [
        next(end, terms(slices: 2)), next(end, terms(every: .seconds(7_200), slices: 2)),
        next(end, terms(slices: 9), deaths: 2),
        next(end, terms(slices: 9), deaths: 2, madeProgress: true), next(end, terms(slices: 1)),
      ]
      lines.append("| \(words) | \(cells.joined(separator: " | ")) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test("Q6 docs/machines/queue.md says what follows each end")
  func document() throws {
    let path = try #require(TableDocument.folder("docs/machines")).appending(path: "queue.md")
    if TableDocument.isWriting {
      try Self.page.write(to: path, atomically: true, encoding: .utf8)
    }
    let isSame = try String(contentsOf: path, encoding: .utf8) == Self.page
    #expect(isSame, "docs/machines/queue.md is not what RequestStanding does; run scripts/tables")
  }

  // MARK: Ends

  @Test("Q6 75 and an expiry that saved begin it again, however often; 0 is done")
  func goesOn() {
    var standing = RequestStanding()
    for run in 0..<100 {
      standing.workBegan(now: Self.at(Int64(run) * 10))
      let end: End = run.isMultiple(of: 2) ? .unfinished : .cut
      standing.workEnded(
        end, Self.terms(), madeProgress: end == .cut, now: Self.at(Int64(run) * 10 + 9))
      #expect(standing.state == .waiting && standing.retry == nil && standing.why == nil)
    }
    standing.workBegan(now: Self.at(2_000))
    standing.workEnded(.finished, Self.terms(), now: Self.at(2_001))
    #expect(standing.state == .done && standing.isOver && standing.runs == 101)
  }

  @Test("Q6 what another run would repeat is set aside at once, and a repetition only if certain")
  func repeats() {
    for status: Int32 in [1, 2, 64, 65, 70, 73, 127] {
      var standing = Self.running()
      standing.workEnded(
        .failed(status: status, isCertain: status >= 64), Self.terms(), now: Self.at(5))
      #expect(standing.state == .setAside)
      #expect(standing.why == "It ended with status \(status), which another run would repeat.")
    }
    let daily = Self.terms(every: .seconds(86_400))
    var standing = Self.running()
    standing.workEnded(.failed(status: 1, isCertain: false), daily, now: Self.at(5))
    #expect(standing.state == .waiting && standing.repetitions == 1)
    #expect(standing.why == "The run before ended with status 1.")
    standing.workBegan(now: Self.at(86_400))
    standing.workEnded(.failed(status: 65, isCertain: true), daily, now: Self.at(86_405))
    #expect(standing.state == .setAside)
  }

  @Test("Q6 a crash is tried again after 10 and 20 s; the third in a row is set aside and named")
  func crashes() {
    var standing = RequestStanding()
    var now = Self.at(0)
    for wait in [10, 20] {
      standing.workBegan(now: now)
      standing.workEnded(.crashed(signal: 6), Self.terms(), now: now)
      #expect(standing.state == .waiting && standing.retry?.wait == .seconds(wait))
      #expect(standing.why == "The run before crashed by signal 6.")
      now = now.advanced(by: .seconds(wait))
      #expect(standing.retry?.left(now) == nil)
    }
    // A run that was told to end is no fault of the work and forgives nothing.
    standing.workBegan(now: now)
    standing.workEnded(.interrupted, Self.terms(), now: now)
    #expect(standing.why == nil)
    standing.workBegan(now: now)
    standing.workEnded(.cut, Self.terms(), now: now)
    #expect(standing.state == .setAside)
    #expect(
      standing.why
        == "3 runs in a row saved nothing new; the last one was cut at the end of its time.")
    standing.resumed()
    #expect(standing.state == .waiting && standing.deaths == 0 && standing.retry == nil)
  }

  @Test("Q6 a run that saved something new never counts, whatever ended it")
  func progress() {
    var standing = RequestStanding()
    for _ in 0..<50 {
      standing.workBegan(now: Self.at(0))
      standing.workEnded(.crashed(signal: 11), Self.terms(), madeProgress: true, now: Self.at(60))
      #expect(standing.state == .waiting && standing.deaths == 0)
      #expect(standing.retry?.wait == .seconds(10))
    }
  }

  @Test("Q6 a run that vanished is no fault of the work: it begins again, later each time")
  func vanished() {
    var standing = RequestStanding()
    var waits: [Duration] = []
    for _ in 0..<12 {
      standing.workBegan(now: Self.at(0))
      standing.workEnded(.vanished, Self.terms(), now: Self.at(60))
      #expect(standing.state == .waiting && standing.deaths == 0)
      waits.append(standing.retry?.wait ?? .zero)
    }
    #expect(waits.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    #expect(waits.suffix(2) == [.seconds(900), .seconds(900)])
    standing.workBegan(now: Self.at(0))
    standing.workEnded(.unfinished, Self.terms(), now: Self.at(60))
    #expect(standing.vanished == 0)
  }

  @Test("Q6 a chain has as many runs as it has slices, and a stop is the end of it")
  func slices() {
    let terms = Self.terms(slices: 3)
    var standing = RequestStanding()
    for run in 1...3 {
      #expect(!standing.isOver)
      standing.workBegan(now: Self.at(Int64(run) * 60))
      standing.workEnded(.slice, terms, now: Self.at(Int64(run) * 60 + 50))
    }
    #expect(standing.state == .done)
    var stopped = Self.running()
    stopped.workEnded(.stopped, terms, now: Self.at(5))
    #expect(stopped.state == .stopped && stopped.why == "It was stopped.")
    stopped.resumed()
    #expect(stopped.state == .waiting && stopped.why == nil)
  }

  // MARK: Time

  @Test("Q3 repetitions keep their grid, and those that were missed run once")
  func grid() {
    var terms = Self.terms(every: .seconds(3_600))
    terms.earliestBegin = Self.at(7_200)
    var standing = RequestStanding()
    // It begins late and needs two runs: the grid is that of the earliest begin.
    standing.workBegan(now: Self.at(7_500))
    standing.workEnded(.unfinished, terms, now: Self.at(7_600))
    standing.workBegan(now: Self.at(7_700))
    standing.workEnded(.finished, terms, now: Self.at(7_800))
    #expect(standing.next == Self.at(10_800) && standing.runs == 0)
    // The machine was off for ten hours.
    standing.workBegan(now: Self.at(46_900))
    standing.workEnded(.finished, terms, now: Self.at(47_000))
    #expect(standing.next == Self.at(50_400) && standing.repetitions == 2)
    // Without an earliest begin the first run of the first one counts.
    var plain = RequestStanding()
    plain.workBegan(now: Self.at(100))
    plain.workEnded(.unfinished, Self.terms(every: .seconds(3_600)), now: Self.at(700))
    plain.workBegan(now: Self.at(900))
    plain.workEnded(.finished, Self.terms(every: .seconds(3_600)), now: Self.at(1_000))
    #expect(plain.next == Self.at(3_700))
  }

  @Test("Q3 a clock that is set back while a repetition runs does not run it twice")
  func setBack() {
    let terms = Self.terms(every: .seconds(3_600))
    var standing = RequestStanding()
    standing.workBegan(now: Self.at(0))
    standing.workEnded(.finished, terms, now: Self.at(10))
    #expect(standing.next == Self.at(3_600))
    standing.workBegan(now: Self.at(3_600))
    standing.workEnded(.finished, terms, now: Self.at(60))
    #expect(standing.next == Self.at(7_200))
  }

  @Test("Q3 clocks and spans at the ends of their range overflow nothing")
  func extremes() {
    let (first, last) = (WallInstant(nanoseconds: .min), WallInstant(nanoseconds: .max))
    for every: Duration in [.nanoseconds(Int64(1)), .seconds(3_600), .nanoseconds(Int64.max)] {
      for (began, ended) in [(first, last), (last, first), (last, last), (first, first)] {
        var terms = Self.terms(every: every)
        terms.earliestBegin = began
        var standing = RequestStanding()
        standing.workBegan(now: began)
        standing.workEnded(.finished, terms, now: ended)
        #expect(standing.state == .waiting && standing.next ?? first >= began)
      }
    }
  }

  @Test("Q9 a second lies between two begins of one request, repetitions included")
  func pace() {
    for end in [End.unfinished, .interrupted, .slice] {
      var standing = Self.running()
      standing.workEnded(
        end, Self.terms(slices: 5), now: Self.start.advanced(by: .milliseconds(300)))
      #expect(standing.retry?.wait == .milliseconds(700))
    }
    let terms = Self.terms(every: .seconds(1))
    var late = RequestStanding()
    late.workBegan(now: Self.at(0))
    late.workEnded(.finished, terms, now: Self.at(0))
    #expect(late.next == Self.at(1))
    late.workBegan(now: Self.start.advanced(by: .milliseconds(1_900)))
    late.workEnded(.finished, terms, now: Self.start.advanced(by: .milliseconds(1_950)))
    #expect(late.next == Self.at(2) && late.retry?.wait == .milliseconds(950))
  }

  @Test("Q3 a wait is a beginning and a length: a clock that is set back ends it")
  func retry() {
    let retry = RequestStanding.Retry(since: Self.at(100), wait: .seconds(20))
    #expect(retry.left(Self.at(100)) == .seconds(20))
    #expect(retry.left(Self.at(119)) == .seconds(1))
    #expect(retry.left(Self.at(120)) == nil)
    #expect(retry.left(Self.at(99)) == nil)
    #expect(retry.left(Self.at(99_999)) == nil)
  }
}
