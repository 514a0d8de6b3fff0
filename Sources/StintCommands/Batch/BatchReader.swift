import StintCore
import StintRuntime

/// Makes jobs of the lines of a batch file; every line is understood before anything is started.
struct BatchReader {
  struct Reading: Sendable {
    /// The jobs in the order of the file.
    var jobs: [BatchJob] = []
    /// Sentences for the user that are no faults.
    var notices: [String] = []
  }

  let lines: LineReader

  /// Reads a text: its jobs, each once.
  ///
  /// - Throws: ``StintError``: `usage`, which names every line that is wrong, or `io` for an error
  ///   of the device.
  func read(_ bytes: [UInt8], from name: String) throws(StintError) -> Reading {
    var text = BatchText(bytes)
    var reading = Reading()
    var firstLines: [String: Int] = [:]
    var outputs: [FilePath: Int] = [:]
    var sets: [String: Int] = [:]
    var repeated: [(line: Int, first: Int)] = []
    for line in text.lines {
      do throws(StintError) {
        let job = try job(of: line)
        if let first = firstLines[job.key] {
          repeated.append((line.number, first))
          continue
        }
        let results = job.outputPath.map { [$0] } ?? job.results
        for path in results {
          guard let other = outputs[path] else { continue }
          throw StintError(
            .usage, "\(path) is the result of line \(other) too; give each a file of its own.")
        }
        if let set = job.set, let other = sets.updateValue(line.number, forKey: set) {
          throw StintError(
            .usage,
            "This line and line \(other) make one set of images, because folder, filters and format "
              + "are the same. Give all inputs in one line, or another folder.")
        }
        for path in results { outputs[path] = line.number }
        firstLines[job.key] = line.number
        reading.jobs.append(job)
      } catch  where error.isOfTheDevice {
        // The line may be right, and the next try says so.
        throw error.about("line \(line.number) of \(name)")
      } catch {
        text.add(line.number, error.typed)
      }
    }
    if text.faultCount > 0 { throw Self.refusal(text, name) }
    reading.notices = Self.notices(repeated)
    return reading
  }

  // MARK: One line

  private func job(of line: BatchText.Line) throws(StintError) -> BatchJob {
    var words = line.words[...]
    // A line copied from a shell's history.
    if words.first == "stint", words.count > 1 { words = words.dropFirst() }
    if words.first == "run", words.count > 1 { words = words.dropFirst() }
    do {
      let form = try lines.kinds.form(ofLine: words.first ?? "")
      var job = try form.line(Array(words), form.specification.options, lines)
      job.number = line.number
      return job
    } catch {
      throw StintError(wrapping: error, while: "reading the line")
    }
  }

  // MARK: Sentences

  private static func refusal(_ text: BatchText, _ name: String) -> StintError {
    let more = text.faultCount - text.faults.count
    let list = text.faults.map { "\n  " + Sentence.of($0.description) }.joined()
    return StintError(
      .usage,
      "\(name) has \(text.faultCount) line\(text.faultCount == 1 ? "" : "s") that cannot be run, so "
        + "nothing was started:\(list)" + (more > 0 ? "\n  And \(more) more." : ""))
  }

  private static func notices(_ repeated: [(line: Int, first: Int)]) -> [String] {
    let shown = repeated.prefix(5).map {
      "Line \($0.line) is the same job as line \($0.first); it runs once."
    }
    let more = repeated.count - shown.count
    return shown + (more > 0 ? ["\(more) more lines repeat earlier ones."] : [])
  }
}
