import Foundation
import StintCore
import StintReport
import Testing

@Suite("Chrome trace-event format")
struct TraceFileTests {
  typealias Event = [String: Any]

  static func events(_ tracks: [TraceFile.Track]) throws -> [Event] {
    let whole = try JSONSerialization.jsonObject(with: Data(TraceFile(tracks).json.utf8))
    let object = try #require(whole as? [String: Any])
    #expect(Set(object.keys) == ["traceEvents", "displayTimeUnit"])
    #expect(["ms", "ns"].contains(object["displayTimeUnit"] as? String))
    return try #require(object["traceEvents"] as? [Event])
  }

  /// What is wrong with an event by the format's description; nil if nothing is.
  static func fault(_ event: Event) -> String? {
    func isNumber(_ name: String) -> Bool {
      (event[name] as? NSNumber).map { $0.doubleValue >= 0 } ?? false
    }
    guard event["name"] is String, let phase = event["ph"] as? String else {
      return "no name or ph"
    }
    guard isNumber("ts"), event["pid"] is Int, event["tid"] is Int else {
      return "no ts, pid or tid"
    }
    guard let arguments = event["args"] as? [String: Any] else { return "no args" }
    let common: Set = ["name", "ph", "ts", "pid", "tid", "args", "cat"]
    switch phase {
    case "X":
      guard isNumber("dur") else { return "a complete event without a duration" }
      return Set(event.keys).subtracting(common) == ["dur"] ? nil : "unknown members"
    case "i":
      guard ["g", "p", "t"].contains(event["s"] as? String) else { return "a scope that is none" }
      return Set(event.keys).subtracting(common) == ["s"] ? nil : "unknown members"
    case "C":
      guard !arguments.isEmpty, arguments.values.allSatisfy({ $0 is NSNumber }) else {
        return "a counter whose arguments are no numbers"
      }
      return Set(event.keys).subtracting(common) == [] ? nil : "unknown members"
    case "M":
      let names = ["process_name": "name", "thread_name": "name"]
      let orders = ["process_sort_index": "sort_index", "thread_sort_index": "sort_index"]
      let name = event["name"] as? String ?? ""
      if let member = names[name] { return arguments[member] is String ? nil : "no name" }
      if let member = orders[name] { return arguments[member] is Int ? nil : "no index" }
      return "metadata of no known name"
    default:
      return "the phase \(phase)"
    }
  }

  @Test("every event has the members that the format asks for, and no others")
  func members() throws {
    var life = SampleLives.cut
    life.stints[0].chunks = [.init(at: .seconds(1), took: .seconds(2))]
    let events = try Self.events([
      .init(name: "one", life: life), .init(name: "two", life: SampleLives.running),
    ])
    #expect(events.count > 30)
    #expect(events.compactMap(Self.fault) == [])
    #expect(Set(events.compactMap { $0["ph"] as? String }) == ["X", "i", "C", "M"])
    #expect(Set(events.compactMap { $0["pid"] as? Int }) == [1, 2])
  }

  @Test("the check catches what is wrong")
  func planted() throws {
    let good = try Self.events([.init(name: "a", life: SampleLives.cut)])
    for (phase, member, value) in [
      ("X", "dur", -1 as Any), ("X", "ts", "0" as Any), ("i", "s", "x" as Any),
      ("C", "args", ["seconds": "1"] as Any), ("M", "name", "other" as Any),
      ("X", "extra", 1 as Any), ("X", "ph", "Y" as Any),
    ] {
      var event = try #require(good.first { $0["ph"] as? String == phase })
      event[member] = value
      #expect(Self.fault(event) != nil, "\(phase) \(member)")
    }
  }

  @Test(
    "times are microseconds: a stint of 9.5 s at 0 s, a checkpoint that ends when it is durable")
  func units() throws {
    let events = try Self.events([.init(name: "a", life: SampleLives.cut)])
    func named(_ name: String) -> [Event] { events.filter { $0["name"] as? String == name } }
    let stint = try #require(named("stint 1").first)
    #expect(stint["ts"] as? Double == 0)
    #expect(stint["dur"] as? Double == 9_500_000)
    let second = try #require(named("stint 2").first)
    #expect(second["ts"] as? Double == 12_000_000)
    let checkpoint = try #require(named("checkpoint").first)
    #expect(checkpoint["ts"] as? Double == 3_800_000)
    #expect(checkpoint["dur"] as? Double == 200_000)
    let expiry = try #require(named("expiry").first)
    #expect(expiry["ts"] as? Double == 8_000_000)
    let reason = (expiry["args"] as? [String: Any])?["reason"] as? String
    #expect(reason == "the budget is used up")
  }

  @Test(
    "the remaining time falls from the budget to zero, never grows within a stint, and ends with it"
  )
  func remaining() throws {
    let events = try Self.events([.init(name: "a", life: SampleLives.long(3))])
    let counter = events.filter { $0["ph"] as? String == "C" }.compactMap { event in
      ((event["args"] as? [String: Any])?["seconds"] as? Double).map { left in
        (ts: event["ts"] as? Double ?? -1, left: left)
      }
    }
    #expect(counter.count == 51)
    #expect(counter.first?.left == 1)
    for stint in 0..<3 {
      let part = counter[(stint * 17)..<(stint * 17 + 17)]
      #expect(zip(part, part.dropFirst()).allSatisfy { $0.left >= $1.left && $0.ts < $1.ts })
      #expect(part.last?.left == 0)
    }
    let many = try Self.events([.init(name: "a", life: SampleLives.long(1_200))])
    #expect(many.filter { $0["ph"] as? String == "C" }.count == 2_400)
  }

  @Test("hostile names are data: the file stays JSON and gives them back")
  func hostile() throws {
    let events = try Self.events([.init(name: SampleLives.hostile, life: SampleLives.cut)])
    let name = events.first { $0["name"] as? String == "process_name" }?["args"] as? [String: Any]
    #expect(name?["name"] as? String == SampleLives.hostile)
  }
}
