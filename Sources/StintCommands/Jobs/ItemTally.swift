import StintCore
import StintRuntime

/// How the items of one job stand: the lines of a batch, or the inputs of a set of images.
struct ItemTally: Hashable, Sendable {
  /// An item that ended without success.
  struct Failure: Hashable, Sendable {
    /// Its number in the whole list, from 1.
    var number: Int
    var name: String
    var why: String?
    /// Where that lies which it wrote to standard output and standard error; nil where it is not
    /// kept, or is nothing.
    var outputPath: String?
    var errorPath: String?

    /// Both; most sentences name their item themselves.
    var text: String {
      guard let why else { return name }
      return why.holds(name) ? why : "\(name) (\(why))"
    }
  }

  /// How many items the whole list has, of which the job does a part.
  var wholeCount: Int
  /// How many are the job's.
  var count: Int
  var done = 0
  var failed = 0
  /// The numbers of those that run now.
  var running: [Int] = []
  /// The first that failed, as far as they were asked for.
  var failures: [Failure] = []

  /// How many are neither done nor failed.
  var left: Int { max(0, count - done - failed) }
  /// How many of these do not run now.
  var waiting: Int { max(0, left - running.count) }
}

extension ItemTally {
  /// Reads the ledger of a set of images (`docs/formats/image-files.md`); nil if there is none.
  ///
  /// The library of images knows more of these lines, and this program does not load it.
  init?(imagesOf record: JobRecord, at path: String) {
    guard record.shard != nil else { return nil }
    let ledger = SetLedger((try? JobFileContents.bytes(of: path + "/partial/set")) ?? [])
    let items = ledger.items
    guard let line = ledger.list, let whole: Int = line["wholeCount"]?.integer() else { return nil }
    let numbers = SetLedger.numbers(line["numbers"]?.text, below: whole + 1)
    let places = ledger.places
    guard places.count == numbers.count, places.allSatisfy({ items[$0] != nil }) else { return nil }
    self.init(wholeCount: whole, count: places.count)
    for (place, number) in zip(places, numbers) {
      guard let item = items[place] else { continue }
      if let why = item.failure {
        failed += 1
        failures.append(Failure(number: number, name: item.path, why: why))
      } else if item.frames == item.made.count {
        done += 1
      }
    }
  }
}

extension ItemTally {
  /// How many are done and have failed, for a cell of a table.
  var shortCounts: String {
    "\(done)/\(count) done" + (failed > 0 ? ", \(failed) failed" : "")
  }

  /// How all of them stand, as a clause.
  var counts: String {
    shortCounts + (running.isEmpty ? "" : ", \(running.count) running")
      + (waiting > 0 ? ", \(waiting) waiting" : "")
  }

  /// The numbers of those that run now.
  var runningText: String {
    let shown = running.prefix(Self.shownNumbers).map(String.init).joined(separator: ", ")
    let more = running.count - Self.shownNumbers
    return "line\(running.count == 1 ? "" : "s") \(shown)" + (more > 0 ? " and \(more) more" : "")
  }

  private static let shownNumbers = 16

  /// The counts for programs.
  var countsJSON: JSONLine {
    var json = JSONLine()
    addCounts(to: &json)
    return json
  }

  func addCounts(to json: inout JSONLine) {
    json.add("count", count)
    json.add("done", done)
    json.add("failed", failed)
    json.add("running", running.count)
    json.add("waiting", waiting)
  }

  /// What failed, a line each, and below it where its output lies.
  func failureList(indent: Int) -> String {
    Self.failureList(failures, of: failed, indent: indent)
  }

  static func failureList(_ failures: [Failure], of count: Int, indent: Int) -> String {
    guard !failures.isEmpty else { return "" }
    let start = String(repeating: " ", count: indent)
    let more = count - failures.count
    return "\n\(start)Failed:\n"
      + failures.map { failure in
        ("\(failure.number): \(failure.text)" as String).line(after: start + "  ")
          + failure.places.map { $0.line(after: start + "      ") }.joined()
      }.joined() + (more > 0 ? "\(start)and \(more) more; --json lists them all\n" : "")
  }
}

extension ItemTally.Failure {
  /// Where its output lies, a text each.
  var places: [String] {
    [outputPath.map { "output: \($0)" }, errorPath.map { "errors: \($0)" }].compactMap { $0 }
  }

  func add(to json: inout JSONLine) {
    json.add("number", number)
    json.add("name", name)
    json.add("why", why)
    json.add("outputPath", outputPath)
    json.add("errorPath", errorPath)
  }

  var json: JSONLine {
    var json = JSONLine()
    add(to: &json)
    return json
  }
}

extension String {
  /// The text on a line of its own, with control characters as escapes.
  fileprivate func line(after start: String) -> String {
    start + CellWidth.fitted(self, to: .max) + "\n"
  }
}
