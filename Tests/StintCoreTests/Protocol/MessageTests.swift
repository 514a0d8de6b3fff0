import StintCore
import Testing

@Suite("Messages of the system protocol")
struct MessageTests {
  static let instant = Instant(nanoseconds: 98_765_432_109_876)
  static let trip = SystemMessage.Trip(number: 3, start: instant, deadline: .distantFuture)

  static let childMessages: [ChildMessage] = [
    .hello(version: 1, pid: 4_711, name: "a \"program\"\n\u{1}\\ über 🚀"),
    .begin(task: 1, name: ""), .begin(task: .max, name: "save"), .end(task: 7),
    .due(instant), .due(nil), .suspended(trip: 3),
  ]

  static let systemMessages: [SystemMessage] =
    ApplicationState.allCases.map {
      .welcome(
        SystemMessage.Welcome(
          pid: 1, policy: .iOS13, state: $0, trip: $0 == .background ? trip : nil))
    }
    + SystemPolicy.presets.map { preset in
      var policy = preset
      policy.dailyQuota = nil
      return .welcome(
        SystemMessage.Welcome(
          pid: .max, policy: policy, state: .background,
          trip: SystemMessage.Trip(number: 1, start: instant, deadline: nil),
          continuesChild: true))
    }
    + SystemMessage.Launch.TaskKind.allCases.flatMap { kind in
      ["", "org.example.refresh", "\u{1}\"über\" 🚀"].map { identifier in
        .welcome(
          SystemMessage.Welcome(
            pid: 1, policy: .commandLine, state: .background, trip: trip, continuesChild: true,
            launch: SystemMessage.Launch(
              kind: kind, identifier: identifier, isSimulated: kind == .fetch)))
      }
    }
    + Transition.allCases.map { .transition($0, trip: $0 == .didEnterBackground ? trip : nil) }
    + [
      .notRunning, .suspended, .stopping, .tooManyTasks(maximum: 3), .refused("no, \"never\""),
      .tooLittleTime(remaining: .milliseconds(12), least: .seconds(1)),
    ].map { (reason: DenialReason) in .denied(task: 9, reason) }
    + [
      .timeElapsed, .revoked, .stopRequested, .signal(15), .engineEndTime,
      .denied(.refused("later")),
    ].flatMap { (reason: ExpiryReason) -> [SystemMessage] in
      [
        .expire(task: 2, reason, trip: 3, deadline: instant), .stop(reason, deadline: instant),
        .expire(task: 2, reason, trip: 0, deadline: nil),
      ]
    }
    + [
      .overrun, .leakedTask(name: "save"), .handlersOverran, .enterBackgroundOverran,
      .killedWhileSuspended, .crash, .signal(9),
    ].map { (cause: TerminationCause) in .terminating(cause) }
    + [.granted(task: 1), .deadline(trip: 4, instant), .deadline(trip: 4, nil)]
    + [.suspending, .resumed]

  @Test("what a child says is read again", arguments: childMessages)
  func childRoundTrip(message: ChildMessage) throws {
    #expect(try ChildMessage.read(line(message.line)) == message)
  }

  @Test("what a system says is read again", arguments: systemMessages)
  func systemRoundTrip(message: SystemMessage) throws {
    #expect(try SystemMessage.read(line(message.line)) == message)
  }

  @Test("every line is one line, and none is longer than the limit, whatever it names")
  func bounds() throws {
    let long = String(repeating: "🚀\n", count: 10_000)
    let lines = [
      ChildMessage.hello(version: 1, pid: 1, name: long).line,
      ChildMessage.begin(task: 1, name: String(repeating: "\u{1}", count: 9_999)).line,
      SystemMessage.denied(task: 1, .refused(long)).line,
      SystemMessage.terminating(.leakedTask(name: long)).line,
    ]
    for line in lines {
      #expect(line.utf8.count <= SystemProtocol.maximumLineBytes)
      #expect(line.filter(\.isNewline).count == 1)
    }
    guard case .begin(_, let name)? = try ChildMessage.read(self.line(lines[1])) else {
      Issue.record("a long name is cut and can be read")
      return
    }
    #expect(name.utf8.count == SystemProtocol.maximumNameBytes)
  }

  @Test("messages of a later version mean nothing, and members are read over")
  func later() throws {
    #expect(try ChildMessage.read(line(#"{"type":"later","task":"x"}"#)) == nil)
    #expect(try SystemMessage.read(line(#"{"type":"later"}"#)) == nil)
    #expect(
      try ChildMessage.read(line(#"{"new":[{"a":1.5e3}],"type":"end","task":3,"more":null}"#))
        == .end(task: 3))
    #expect(
      try SystemMessage.read(line(#"{"type":"expire","task":1,"trip":2,"reason":"later"}"#))
        == .expire(task: 1, .revoked, trip: 2, deadline: nil))
    #expect(
      try SystemMessage.read(line(#"{"type":"denied","task":1,"reason":"later"}"#))
        == .denied(task: 1, .refused("later")))
    #expect(try SystemMessage.read(line(#"{"type":"transition","transition":"later"}"#)) == nil)
  }

  @Test(
    "a message with a member missing, of another kind or out of range is refused",
    arguments: [
      #"{}"#, #"{"type":1}"#, #"{"type":"end"}"#, #"{"type":"end","task":0}"#,
      #"{"type":"end","task":-1}"#, #"{"type":"end","task":"1"}"#, #"{"type":"end","task":1.0}"#,
      #"{"type":"end","task":1e0}"#, #"{"type":"end","task":9223372036854775808}"#,
      #"{"type":"due","beginBootNs":-1}"#, #"{"type":"suspended"}"#,
      #"{"type":"begin","task":1}"#, #"{"type":"begin","task":1,"name":null}"#,
      #"{"type":"hello","version":0,"pid":1,"name":""}"#,
      #"{"type":"hello","version":1,"pid":4294967297,"name":""}"#,
    ])
  func refusedOfChild(text: String) {
    #expect(throws: ProtocolFault.self) { try ChildMessage.read(line(text)) }
  }

  @Test(
    "what a system says without the instant that it is about is refused",
    arguments: [
      #"{"type":"stop","reason":"revoked"}"#,
      #"{"type":"transition","transition":"didEnterBackground","trip":1}"#,
      #"{"type":"deadline","deadlineBootNs":1}"#,
    ])
  func refusedOfSystem(text: String) {
    #expect(throws: ProtocolFault.self) { try SystemMessage.read(line(text)) }
  }

  @Test("a name that is too long is refused and not cut by the reader")
  func longName() {
    let name = String(repeating: "n", count: SystemProtocol.maximumNameBytes + 1)
    #expect(throws: ProtocolFault.self) {
      try ChildMessage.read(line(#"{"type":"begin","task":1,"name":"\#(name)"}"#))
    }
  }

  @Test(
    "a welcome whose policy cannot be kept is refused",
    arguments: [
      ("\"leadNs\":5000000000", "\"leadNs\":0"), ("\"leadNs\":5000000000", "\"leadNs\":-1"),
      ("\"leadNs\":5000000000", "\"leadNs\":30000000000"),
      ("\"leadNs\":5000000000,", ""), ("\"grantNs\":30000000000", "\"grantNs\":0"),
      ("\"maximumTasks\":1000", "\"maximumTasks\":0"),
      ("\"stoppedTime\":\"elapsed\"", "\"stoppedTime\":\"later\""),
      ("\"grantNs\":30000000000", "\"grantNs\":9223372036854775807"),
      ("\"state\":\"active\"", "\"state\":\"gone\""), ("\"version\":1", "\"version\":\"1\""),
    ])
  func refusedWelcome(part: String, spoiled: String) throws {
    let welcome = SystemMessage.Welcome(pid: 1, policy: .iOS13, state: .active, trip: nil)
    let good = SystemMessage.welcome(welcome).line
    #expect(good.contains(part))
    #expect(try SystemMessage.read(line(good)) != nil)
    let bad = good.replacing(part, with: spoiled)
    #expect(throws: ProtocolFault.self) { try SystemMessage.read(line(bad)) }
  }

  /// What a supervisor of this version, and one of before, says to a child that it starts.
  private static let launched = SystemMessage.Welcome(
    pid: 1, policy: .commandLine, state: .background, trip: trip, continuesChild: true,
    launch: SystemMessage.Launch(kind: .refresh, identifier: "r"))

  @Test("Q6 a newer child goes on with an older supervisor, which launches it for nothing")
  func olderSupervisor() throws {
    var older = Self.launched
    older.launch = nil
    let text = SystemMessage.welcome(older).line
    #expect(!text.contains("launch"))
    #expect(try SystemMessage.read(line(text)) == .welcome(older))
  }

  @Test("Q6 an older child skips what a newer supervisor tells it, and a newer one what is to come")
  func newerSupervisor() throws {
    let text = SystemMessage.welcome(Self.launched).line
    #expect(text.contains(#","launch":"r","launchKind":"refresh"}"#))
    // An older child knows the members up to here, and their names alone.
    var older = Self.launched
    older.launch = nil
    let before = text.replacing(#""launch"#, with: #""unknown"#)
    #expect(try SystemMessage.read(line(before)) == .welcome(older))
    var later = Self.launched
    later.launch = SystemMessage.Launch(kind: .other, identifier: "r")
    let ahead = text.replacing(#""refresh"}"#, with: #""backup","launchPlace":[{"x":1}]}"#)
    #expect(try SystemMessage.read(line(ahead)) == .welcome(later))
  }

  @Test("Q6 however long an identifier is, the welcome of a launch is one line")
  func longLaunch() throws {
    var policy = SystemPolicy.commandLine
    policy.name = String(repeating: "\u{1}", count: 600)
    let identifier = String(repeating: "\u{2}", count: 900)
    let welcome = SystemMessage.Welcome(
      pid: .max, policy: policy, state: .background, trip: Self.trip, continuesChild: true,
      launch: SystemMessage.Launch(kind: .processing, identifier: identifier, isSimulated: true))
    let text = SystemMessage.welcome(welcome).line
    #expect(text.utf8.count <= SystemProtocol.maximumLineBytes)
    guard case .welcome(let read)? = try SystemMessage.read(line(text)) else {
      Issue.record("\(text)")
      return
    }
    #expect(read.launch == welcome.launch)
  }

  private func line(_ text: String) -> [UInt8] {
    Array(text.hasSuffix("\n") ? text.dropLast().utf8 : Substring(text).utf8)
  }
}
