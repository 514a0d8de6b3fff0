import StintCore
import StintRuntime

/// What a log says of each line, by the lines' keys, in little memory.
struct BatchEntries: Sendable, Sequence {
  /// What every line has.
  private struct Common {
    var seconds: Double
    var stints: Int32
    var number: Int32
    var kind: UInt8
    var cuts: UInt8
    var history: BatchMachine.History
    var standing: BatchStanding
  }

  private var keys = LineKeys()
  private var common: [UInt64: Common] = [:]
  /// What few lines have.
  private var outputs: [UInt64: BatchOutputMark] = [:]
  private var owed: [UInt64: [BatchRecord]] = [:]

  var count: Int { common.count }
  var isEmpty: Bool { common.isEmpty }

  /// What is said of a line; nil if nothing is.
  subscript(key: String) -> BatchLog.Entry? {
    keys.number(of: key).flatMap { entry(of: $0.number) }
  }

  private func entry(of number: UInt64) -> BatchLog.Entry? {
    common[number].map { line in
      BatchLog.Entry(
        history: line.history, standing: line.standing, number: Int(line.number),
        stints: Int(line.stints), seconds: line.seconds, cuts: Int(line.cuts),
        output: outputs[number], owed: owed[number] ?? [])
    }
  }

  /// All that is said, in no order.
  func makeIterator() -> AnyIterator<(key: String, value: BatchLog.Entry)> {
    var rest = common.makeIterator()
    return AnyIterator {
      rest.next().flatMap { number, line in
        entry(of: number).map { (keys.key(line.kind, number), $0) }
      }
    }
  }

  /// The records that the job log or standard output does not have yet.
  var allOwed: [BatchRecord] { owed.values.flatMap(\.self) }

  /// Takes in what happened next.
  mutating func take(_ record: BatchRecord) {
    guard let (kind, number) = keys.number(adding: record.key) else { return }
    var entry = entry(of: number) ?? BatchLog.Entry()
    entry.take(record)
    common[number] = Common(
      seconds: entry.seconds, stints: Int32(clamping: entry.stints),
      number: Int32(clamping: entry.number), kind: kind, cuts: UInt8(clamping: entry.cuts),
      history: entry.history, standing: entry.standing)
    outputs[number] = entry.output
    owed[number] = entry.owed.isEmpty ? nil : entry.owed
  }
}
