import StintCore
import Testing

@testable import StintRuntime

@Suite("Shards")
struct ShardTests {
  @Test("a part is K/N with K from 1 to N; anything else is none")
  func reading() {
    #expect(Shard(text: "2/3") == Shard(2, of: 3))
    #expect(Shard(text: "1/1")?.text == "1/1")
    #expect(Shard(text: "2/3")?.description == "shard 2 of 3")
    for text in [
      "", "2", "0/3", "4/3", "1/0", "-1/3", "+1/3", "1/3/5", "1/", "/3", " 1/3", "1/5000",
      "1/99999999999999999999",
    ] {
      #expect(Shard(text: text) == nil, "\(text)")
    }
  }

  @Test("the parts of a list have each item once, in turn, and as many as they say")
  func cutting() {
    for count in 1...7 {
      for size in 0...20 {
        let whole = Array(0..<size)
        var owners = [Int?](repeating: nil, count: size)
        for shard in (1...count).compactMap({ Shard($0, of: count) }) {
          let part = shard.part(of: whole)
          #expect(part.count == shard.size(of: size))
          for item in part {
            #expect(item % count + 1 == shard.number)
            #expect(owners[item] == nil)
            owners[item] = shard.number
          }
        }
        #expect(!owners.contains(nil))
      }
    }
  }

  @Test("each part is a job of its own, and all of them name the same whole")
  func keys() throws {
    let work: JobParameters = ["file": "/a"]
    let whole = JobKey(kind: "batch", parameters: work, outputPath: nil).description
    func record(_ number: Int, of count: Int) throws -> JobRecord {
      let shard = try #require(Shard(number, of: count))
      return JobRecord(
        kind: "batch", parameters: shard.parameters(work, of: whole), outputPath: nil,
        identity: .current())
    }
    let records = [try record(1, of: 2), try record(2, of: 2), try record(1, of: 3)]
    #expect(Set(records.map(\.key.description) + [whole]).count == 4)
    #expect(records.allSatisfy { $0.whole == whole })
    #expect(records.map(\.shard?.text) == ["1/2", "2/2", "1/3"])
    let uncut = JobRecord(
      kind: "batch", parameters: work, outputPath: nil, identity: .current())
    #expect(uncut.shard == nil)
    #expect(uncut.whole == whole)
  }
}
