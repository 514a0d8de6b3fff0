import StintCore

@testable import FuzzTargets

extension Seeds {
  /// A conversation from each side, each message alone, and lines that are none.
  static var conversations: [[UInt8]] {
    let child = childMessages.map(\.line)
    let system = systemMessages.map(\.line)
    let good =
      (child + [child.joined()]).map { [0x40] + Array($0.utf8) }
      + (system + [system.prefix(8).joined()]).map { [0x41] + Array($0.utf8) }
    let bad = [
      "{}\n\n[]\nnull\n", #"{"type":"later","new":[{"a":[1.5e3,-0,true,null]}]}"# + "\n",
      #"{"type":"begin","task":1,"name":"\u00e9\ud83d\ude80\\\/\b"}"# + "\n",
      #"{"type":"end","task":9223372036854775807}"# + "\n" + #"{"type":"end","task":0}"# + "\n",
      #"{"type":"begin","task":77776,"name":""}"# + "\n",
    ]
    return good + bad.map { [0x02] + Array($0.utf8) }
  }

  private static let childMessages: [ChildMessage] = [
    .hello(version: 1, pid: 4_711, name: "program"), .begin(task: 1, name: "save \"it\"\n"),
    .begin(task: 2, name: "Größe 🚀"), .end(task: 1), .end(task: 2),
    .due(Instant(nanoseconds: 98_765_432_109_876)), .suspended(trip: 1),
  ]

  private static var systemMessages: [SystemMessage] {
    let instant = Instant(nanoseconds: 98_765_432_109_876)
    let trip = SystemMessage.Trip(number: 3, start: instant, deadline: instant)
    let welcome = SystemMessage.Welcome(pid: 5, policy: .iOS13, state: .background, trip: trip)
    return [
      .welcome(welcome), .transition(.willEnterForeground, trip: nil),
      .transition(.didEnterBackground, trip: trip), .granted(task: 77_776),
      .denied(task: 1, .tooLittleTime(remaining: .zero, least: .seconds(1))),
      .expire(task: 1, .signal(15), trip: 3, deadline: instant), .deadline(trip: 3, nil),
      .stop(.engineEndTime, deadline: instant), .suspending, .resumed,
      .terminating(.leakedTask(name: "save")), .denied(task: 2, .refused("no")),
    ]
  }
}
