import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The ledger of a set, as stint verify reads it")
struct SetLedgerTests {
  private static func line(_ event: String, _ add: (inout JSONLine) -> Void = { _ in }) -> [UInt8] {
    var json = JSONLine()
    json.add("event", event)
    add(&json)
    return SealedLine.sealed(json)
  }

  private static let checksum = Checksum128(high: 1, low: 2)

  private static func done(_ place: Int) -> [UInt8] {
    line("done") { json in
      json.add("place", place)
      json.add("frame", 0)
      json.add("frames", 1)
      json.add("sizeBytes", 10 + place)
      json.add("checksum", checksum.description)
    }
  }

  private static func list(_ places: String) -> [UInt8] {
    line("list") { $0.add("places", places) }
  }

  private static func input(_ place: Int) -> [UInt8] {
    line("input") { json in
      json.add("place", place)
      json.add("path", "/\(place)")
    }
  }

  private let whole = line("set") + input(0) + input(1) + list("0-1") + done(1) + done(0)

  private func finish() throws -> JournalSummary.Finish {
    let sums = Self.checksum.bytes + Self.checksum.bytes
    let event = JournalEvent.finished(
      sizeBytes: 21, checksum: XXH3Checksum.digest(sums).description, workTime: .zero)
    var summary = JournalSummary()
    summary.add(JournalRecord(stamp: .init(.current()), content: .event(event)))
    return try #require(summary.finish)
  }

  @Test("C2 every flipped bit is seen")
  func flips() throws {
    #expect(SetLedger(whole).damagedLines.isEmpty)
    for index in whole.indices {
      var wrong = whole
      wrong[index] ^= 1 << UInt8(index % 8)
      #expect(!SetLedger(wrong).damagedLines.isEmpty, "byte \(index)")
    }
  }

  @Test("C2 of a finished set, every cut is seen")
  func cuts() throws {
    let finish = try finish()
    #expect(!SetLedger(whole).lacks(finish))
    for count in whole.indices {
      let ledger = SetLedger(Array(whole[..<count]))
      #expect(ledger.lacks(finish) || !ledger.damagedLines.isEmpty, "\(count) bytes")
    }
  }

  @Test("what the next run wrote down before its work is no damage")
  func goesOn() throws {
    let more = whole + Self.input(2) + Self.list("0-2")
    #expect(try !SetLedger(more).lacks(finish()))
  }
}
