import StintCore
import StintRuntime

// What the log says of lines that it cannot know: those that are in the file no more, and those
// that count otherwise for this process.

extension BatchDriver {
  /// Writes down how many lines there are, and which of them stand otherwise than those who read
  /// the log would think.
  func tellStanding() {
    guard loss == nil else { return }
    let now = wallClock()
    var corrections: [BatchRecord] = []
    func note(_ key: String, _ entry: BatchLog.Entry, _ standing: BatchStanding, _ number: Int) {
      corrections.append(
        BatchRecord(
          key, stands: standing, line: number, stints: entry.stints, unixNanoseconds: now))
    }
    for (key, entry) in directory.log.entries {
      guard let index = lines.index(of: key) else {
        if entry.standing != .gone { note(key, entry, .gone, entry.number) }
        continue
      }
      guard entry.stints > 0 else { continue }
      // One that ran when its process was ended waits from now on, without a word.
      let told = entry.standing == .running ? .waiting : entry.standing
      let isDone = machine.lines[index] == .finished
      let standing: BatchStanding = isDone ? .finished : told == .failed ? .failed : .waiting
      let number = lines.number(of: index)
      guard standing != told || (standing == .failed && entry.number != number) else { continue }
      note(key, entry, standing, number)
    }
    let begin = BatchBegin(count: lines.count, wholeCount: wholeCount, unixNanoseconds: now)
    writeLog { () throws(StintError) in
      try directory.log.append(begin, correcting: corrections)
    }
  }

  /// Writes to the log; that it cannot be written is said once.
  func writeLog(_ write: () throws(StintError) -> Void) {
    if loss != nil { return }
    do throws(StintError) {
      try write()
    } catch {
      if logFailure == nil {
        teller.say(
          "The batch's log is incomplete, so finished lines will be run again: \(error.typed)")
      }
      logFailure = error
    }
  }
}
