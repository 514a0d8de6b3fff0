import Foundation

/// A journal or an events file, read as another program would read it.
struct Journal {
  struct Line: Decodable {
    var event: String
    var pid: Int32
    var bootSeconds: Double
    var reason: String?
    var sequence: UInt64?
    var restoredSequence: UInt64?
    var deadlineBootSeconds: Double?
    var fraction: Double?
    var sizeBytes: Int?
    var checksum: String?
    var cause: String?
    var signal: Int32?
    var file: String?
    var state: String?
    var remainingSeconds: Double?
    var savedSeconds: Double?
    var lostSeconds: Double?
    var workTimeSeconds: Double?
    var elapsedSeconds: Double?
    var endSource: String?
  }

  let lines: [Line]
  /// Complete lines that are no such objects.
  let unreadable: Int

  init(text: String) {
    let complete = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let decoder = JSONDecoder()
    lines = complete.compactMap { try? decoder.decode(Line.self, from: Data($0.utf8)) }
    unreadable = complete.count - lines.count
  }

  func all(_ event: String) -> [Line] { lines.filter { $0.event == event } }

  /// How many stints ended with a reason.
  func ends(_ reason: String) -> Int { all("stintEnded").count { $0.reason == reason } }

  /// The number of the newest checkpoint; 0 before there is one.
  var newestCheckpoint: UInt64 { all("checkpoint").compactMap(\.sequence).max() ?? 0 }
}
