import Glibc
import StintCore
import StintRuntime

// What the end of a line's process means, and what is told of it when that is on disk.

extension BatchDriver {
  // MARK: Lines that end

  /// The process of a line's stint has ended, or was killed and is no longer waited for.
  func ended(_ index: Int, stint: Int, _ exit: BatchExit) {
    // Race: one that is not waited for has ended.
    guard let line = active[index], machine.lines[index] == .running,
      accounts[index].stints == stint, !hasEnded
    else { return }
    let took = line.startedAt.map { $0.duration(to: driver.environment.now) } ?? .zero
    accounts[index].seconds += took.inSeconds
    var record = record(.lineEnded, index, line.job)
    record.words = line.job.ownWords
    record.startUnixSeconds = Double(line.startUnixNanoseconds) / 1e9
    record.seconds = took.inSeconds
    record.totalSeconds = accounts[index].seconds
    let (outcome, advice) = judge(index, line, exit, &record)
    record.outcome = outcome
    if outcome == .finished {
      record.output = line.job.outputPath.flatMap(directory.mark)
    }
    if teller.hasJobLog { record.isForJobLog = true }
    if teller.printsRecords { record.isForOutput = true }
    let isFailing = outcome == .failed && machine.triesAgain(index)
    // Who reads the record finds the files.
    if outcome == .failed, !isFailing {
      BatchOutput.keep(files(of: index), as: directory.failedPaths(of: line.job.key))
    }
    log(record, durably: false)
    let written = record
    // Of a line that goes on, all of it comes together at the end; of a run that failed and is
    // followed by another, it is told where it failed.
    untold[index, default: 0] += 1
    whenDurable { batch in
      let ends = batch.untold[index] ?? 1
      batch.untold[index] = ends == 1 ? nil : ends - 1
      if outcome != .unfinished, !isFailing {
        batch.accounts[index].hasOutput = true
        batch.teller.keepResult(batch.files(of: index), of: line.job)
        if batch.settings.options.keepsOrder { batch.passOnInOrder() } else { batch.passOn(index) }
      }
      batch.tellOthers(written)
      batch.teller.ended(line.job, written, advice: advice, isTriedAgain: isFailing)
    }
    over(index, outcome)
  }

  /// What the end of a process means for its line, with advice if the process gave none.
  private func judge(
    _ index: Int, _ line: Active, _ exit: BatchExit, _ record: inout BatchRecord
  ) -> (BatchLineEnd, advice: String?) {
    let rest = driver.remainingTime.duration ?? .seconds(3600)
    let outcome = BatchVerdict.outcome(
      of: exit, isClosing: line.mustEnd || machine.phase != .working || rest <= settings.lead * 1.1,
      wasTold: line.wasTold)
    let wasCut =
      outcome == .unfinished && (!line.wasTold || line.wasToldInTime)
      && BatchVerdict.wasCut(exit, line.job, wasTold: line.wasTold)
    accounts[index].cuts = wasCut ? accounts[index].cuts &+ 1 : 0
    switch exit {
    case .exited(let status): record.exitStatus = status
    case .signalled(let number): record.signal = number
    case .notStarted(let error): record.reason = Sentence.of(error)
    }
    var advice = outcome == .finished ? nil : line.fault?.sentence
    if line.fault == .timeout, outcome != .finished {
      (record.exitStatus, record.signal) = (BatchVerdict.statusOfTimeout, nil)
    }
    if accounts[index].cuts >= BatchVerdict.mostCuts {
      advice = BatchVerdict.reasonOfCuts
      accounts[index].cuts = 0
    }
    if let advice {
      record.reason = advice
      return (.failed, advice)
    }
    if wasCut { record.wasCut = true }
    if outcome == .failed, record.reason == nil {
      record.reason = BatchOutput.lastWords(in: directory.errorPath(of: line.job.key))
    }
    return (outcome, nil)
  }

  /// The line's place is free.
  func over(_ index: Int, _ end: BatchLineEnd) {
    if var line = active.removeValue(forKey: index) { letGo(&line.task) }
    _ = lookForStop()
    let wasHalted = machine.isHalted
    perform(machine.lineEnded(index, end, remaining: driver.remainingTime))
    if machine.isHalted, !wasHalted { sayHalted() }
    show()
  }

  func record(
    _ event: BatchRecord.Event, _ index: Int, _ job: BatchJob
  ) -> BatchRecord {
    BatchRecord(
      event, of: job, stints: Int(accounts[index].stints), unixNanoseconds: wallClock())
  }

  // MARK: What is told when it is durable

  /// How long a record waits for others before all of them are written to disk.
  private static let syncsEvery = Duration.milliseconds(10)

  /// Calls back when the records so far are on disk, or cannot be.
  private func whenDurable(_ body: @escaping (BatchDriver) -> Void) {
    unsynced.append(body)
    if unsynced.count == 1 { after(Self.syncsEvery) { $0.synchronize() } }
  }

  /// Writes the records to disk, and tells what waited for that.
  func synchronize() {
    guard !unsynced.isEmpty else { return }
    let bodies = exchange(&unsynced, with: [])
    writeLog { () throws(StintError) in try directory.log.synchronize() }
    for body in bodies { body(self) }
  }

  /// Gives the job log and standard output a record that the batch's own log has.
  ///
  /// A batch that is killed in between tells it the next time.
  private func tellOthers(_ record: BatchRecord) {
    let log = directory.log
    // A record that is missing in the log is told twice, which is better than never.
    if teller.hasJobLog, record.isForJobLog == true {
      let told = BatchRecord(.lineTold, after: record)
      teller.tellJobLog(record) { try? log.append(told, durably: false) }
    }
    if teller.printsRecords, record.isForOutput == true {
      let printed = BatchRecord(.linePrinted, after: record)
      teller.printRecord(
        record, isPrinted: { try? log.append(printed, durably: false) },
        readerGone: readerGone)
    }
  }

  /// What batches before this one did not get out.
  func tellOwed() {
    directory.log.entries.allOwed.sorted { $0.unixSeconds < $1.unixSeconds }.forEach(tellOthers)
    directory.log.forgetEntries()
  }

  func log(_ record: BatchRecord, durably: Bool) {
    writeLog { () throws(StintError) in try directory.log.append(record, durably: durably) }
  }

  /// Nobody reads standard output any more; any thread may say so.
  private var readerGone: @Sendable () -> Void { { [life] in life.signalCame(SIGPIPE) } }

  private func files(of index: Int) -> BatchOutput.Paths {
    let key = lines.key(of: index)
    return BatchOutput.Paths(
      output: directory.outputPath(of: key), errors: directory.errorPath(of: key))
  }

  /// Passes the output of a line on; what a line that failed has written stays for people.
  func passOn(_ index: Int) {
    accounts[index].hasOutput = false
    let hasFailed = machine.lines[index] == .failed
    teller.passOn(
      files(of: index), keptAs: hasFailed ? directory.failedPaths(of: lines.key(of: index)) : nil,
      tag: teller.isTagged ? lines.tag(of: index) : nil, readerGone: readerGone)
  }

  /// Passes the output of lines on whose turn it is: all lines before them have ended.
  func passOnInOrder() {
    guard settings.options.keepsOrder else { return }
    while nextInOrder < lines.count, machine.lines[nextInOrder].isSettled,
      untold[nextInOrder] == nil
    {
      if accounts[nextInOrder].hasOutput { passOn(nextInOrder) }
      nextInOrder += 1
    }
  }
}
