import StintCore

/// The line of a batch's log that its process writes first: how many lines the batch has
/// (`docs/formats/batch-log.md`).
///
/// The lines that ran before it run no more.
struct BatchBegin: Hashable, Sendable {
  static let event = "batchBegan"

  /// When, in seconds since 1970; a label only.
  var unixSeconds: Double
  /// How many lines are this batch's.
  var count: Int
  /// How many lines the whole file has.
  var wholeCount: Int

  init(count: Int, wholeCount: Int, unixNanoseconds: Int64) {
    unixSeconds = (Double(unixNanoseconds) / 1e6).rounded() / 1e3
    (self.count, self.wholeCount) = (count, wholeCount)
  }

  /// The record as a line of JSON with its newline.
  var text: String {
    var json = JSONLine()
    json.add("event", Self.event)
    json.add("unixSeconds", unixSeconds)
    json.add("lines", count)
    json.add("wholeLines", wholeCount)
    return json.line
  }

  /// Reads a line; nil if it is another record.
  init?(line bytes: ArraySlice<UInt8>) {
    do throws(JSONFault) {
      let object = try JSONObject(Array(bytes))
      guard try object.text("event") == Self.event else { return nil }
      unixSeconds = try object.number("unixSeconds")
      count = try object.integer("lines")
      wholeCount = try object.integer("wholeLines")
    } catch {
      return nil
    }
    guard 0 <= count, count <= wholeCount else { return nil }
  }
}
