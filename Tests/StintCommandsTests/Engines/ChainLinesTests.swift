import StintCore
import Testing

@testable import StintCommands

@Suite("Lines of an array of chains")
struct ChainLinesTests {
  private static let common: ChainRecord = {
    var record = ChainRecord(
      launch: LaunchRecord(words: ["--array", "f"], directory: "/d"), links: 50,
      options: ["--time=1:00:00"])
    record.members = ChainArrayMachine(count: 3, atOnce: 2)
    record.followers[.finished] = .init(words: ["after.sh"])
    return record
  }()

  private static let key = "chains-0123456789abcdef"

  private static func lines(_ text: String) throws -> ChainLines {
    try ChainLines(Array(text.utf8), of: "f")
  }

  @Test(
    "E8 each line that is no comment is a chain, with what all have in common and its own options")
  func chains() throws {
    let lines = try Self.lines(
      "# comment\n\nexec --resumable -- a 'b  c'\n  --time 2h --links 3 --sbatch '-p low' -- run fibonacci 9 -o f\n"
        + "stint exec --resumable -- x")
    #expect(lines.lines.map(\.number) == [3, 4, 5])
    let first = try lines.chain(at: 1, of: Self.common, in: Self.key)
    #expect(first.launch.words == ["exec", "--resumable", "--", "a", "b  c"])
    #expect(first.options == ["--time=1:00:00"] && first.links == 50 && first.place == 1)
    // What follows is of the array, and a chain is none.
    #expect(first.members == nil && first.followers.isEmpty)
    let second = try lines.chain(at: 2, of: Self.common, in: Self.key)
    #expect(second.launch.words == ["run", "fibonacci", "9", "-o", "f"])
    #expect(second.options == ["--time=1:00:00", "--time=2:00:00", "-p", "low"])
    #expect(second.links == 3)
    #expect(try lines.chain(at: 3, of: Self.common, in: Self.key).launch.words.first == "exec")
  }

  @Test("lines may end as on Windows")
  func returns() throws {
    let lines = try Self.lines("exec --resumable -- a\r\n\r\n# c\r\nexec --resumable -- b\r\n")
    #expect(lines.lines.map(\.text) == ["exec --resumable -- a", "exec --resumable -- b"])
  }

  @Test(
    "a line that is no chain is refused by its number",
    arguments: [
      "batch lines", "fibonacci 9", "sleep 5", "--array f -- exec x", "--time 0 -- exec x",
      "--sbatch '--array=1-2' -- exec x", "exec 'x", "--time 1h",
    ])
  func refused(line: String) throws {
    let lines = try Self.lines("\nexec --resumable -- a\n\(line)\n")
    let error = #expect(throws: StintError.self) {
      try lines.chain(at: 2, of: Self.common, in: Self.key)
    }
    #expect(error?.code == .usage && error?.message.hasPrefix("line 3: ") ?? false)
  }

  @Test("a file without work is refused", arguments: ["", "\n\n", "# only\n", " \t\r\n"])
  func empty(text: String) {
    #expect(throws: StintError.self) { try Self.lines(text) }
    #expect(throws: StintError.self) { try ChainLines([0xff, 0x41], of: "f") }
  }

  @Test(
    "a chain of an array is another one than the same work by itself, and than that of another array"
  )
  func keys() throws {
    let lines = try Self.lines("exec --resumable -- a")
    var alone = try lines.chain(at: 1, of: Self.common, in: Self.key)
    let other = try lines.chain(at: 1, of: Self.common, in: "chains-fedcba9876543210")
    let keys = [alone.key(), other.key()]
    alone.chains = nil
    #expect(!keys.contains(alone.key()))
    #expect(Set(keys).count == 2 && keys.allSatisfy { $0.hasPrefix("chain-") })
  }
}
