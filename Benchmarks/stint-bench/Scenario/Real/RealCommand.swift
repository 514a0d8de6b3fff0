import Foundation
import Stint
import StintCommands
import StintCore
import StintReport
import StintScenarios

/// A program of anybody's that is measured, started as `stint exec` would start it.
struct RealCommand: Hashable {
  /// Stands in the words for a folder that is the command's own: new and empty in each repeat, and
  /// kept over its budgets.
  static let folderMark = "{folder}"
  /// Stands for the seconds of a budget whose end is announced, and for 0 in others, as `timeout`
  /// takes it.
  static let budgetMark = "{budget}"
  private static let longestName = 60

  /// The name in reports.
  var name: String
  /// The name for people.
  var title: String
  /// The program and its words, with the marks.
  var words: [String]
  /// The file whose change is a checkpoint, which holds the time that the command ran until then;
  /// nil for a command that says in its folder what work it has saved.
  var checkpoint: String?

  /// Reads the arguments of `--command`.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func all(_ texts: [String], checkpoint: String?) throws -> [RealCommand] {
    let commands = try texts.map { try RealCommand($0, checkpoint: checkpoint) }
    // Alone it is "command", whatever its program is called.
    guard commands.count > 1 else { return commands }
    return commands.map { command in
      var command = command
      if command.name.isEmpty { command.name = command.title }
      return command
    }
  }

  /// Reads `COMMAND` or `NAME=COMMAND`.
  private init(_ text: String, checkpoint: String?) throws {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let named = parts.count == 2 && Self.isName(parts[0])
    do throws(BatchWords.Fault) {
      words = try BatchWords.split(named ? parts[1] : text[...])
    } catch {
      let column = error.column + (named ? parts[0].count + 1 : 0)
      throw StintError(.usage, "--command, column \(column): \(error.reason).")
    }
    guard let program = words.first else {
      throw StintError(.usage, "--command is empty; give a program and its words.")
    }
    name = named ? String(parts[0]) : ""
    title = named ? name : URL(filePath: program).lastPathComponent
    self.checkpoint = checkpoint
  }

  /// Whether what stands before the first = is a name, and not the beginning of a program's path.
  private static func isName(_ text: Substring) -> Bool {
    text.count <= longestName && text.first?.isLetter == true
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  /// The words for one budget.
  func words(for trip: Trip, in folder: String) -> [String] {
    let budget = trip.announced.map { NumberText.fixed($0.seconds, decimals: 3) } ?? "0"
    return words.map {
      $0.replacing(Self.folderMark, with: folder).replacing(Self.budgetMark, with: budget)
    }
  }

  /// Where the supervisor looks for checkpoints.
  func checkpointFile(in folder: String) -> String {
    checkpoint?.replacing(Self.folderMark, with: folder) ?? CommandFolder(path: folder).checkpoint
  }
}

/// The folder of a command, in which it says what it has saved.
struct CommandFolder {
  /// A larger file is none that says how much work a checkpoint holds.
  private static let mostBytes = 1 << 20

  let path: String

  /// A JSON object whose member `workTimeSeconds` is the work that the checkpoint holds.
  var checkpoint: String { path + "/checkpoint.json" }
  /// What the command says while it works, as in `docs/formats/events.md`.
  var events: String { path + "/events.jsonl" }

  /// The work in the checkpoint, as the next process would find it; nil if there is none that can
  /// be read.
  func generation(since began: Instant) -> RealTrip.Generation? {
    guard let file = FileHandle(forReadingAtPath: checkpoint),
      let bytes = try? file.read(upToCount: Self.mostBytes), bytes.count < Self.mostBytes,
      let work = try? JSONObject(Array(bytes)).number("workTimeSeconds"), work.isFinite, work >= 0
    else { return nil }
    let named = DiskReading.naming(of: checkpoint).map { began.duration(to: $0).nanoseconds }
    return RealTrip.Generation(
      sequence: 1, work: Nanoseconds(seconds: work), namedAt: named ?? -1)
  }

  /// The lines of one budget; those of earlier ones stand before them in the file.
  func lines(since began: Instant) -> [EventLine] {
    guard let bytes = FileManager.default.contents(atPath: events) else { return [] }
    let start = Double(began.nanoseconds) / 1e9
    return EventLine.lines(of: bytes).filter { ($0.bootSeconds ?? 0) >= start }
  }
}
