import StintCore
package import StintRuntime

/// Who does the work of a kind.
package enum KindRunner: Sendable {
  /// This process, which reads the work from a command line or from the record of a job.
  ///
  /// A record that lacks a parameter of the kind gives nil.
  case here(
    words: @Sendable (ParsedOptions, Surroundings) throws -> any KindWork,
    record: @Sendable (JobRecord, RunOptions) throws -> (any KindWork)?)
  /// Another program, which this process becomes and which reads the same command line.
  case program(HelperProgram)
  /// The verb that began the job, by whose words `stint resume` runs it again; what else it says if
  /// these are not known.
  case itsVerb(again: @Sendable (JobRecord) -> String)
  /// No program that is known here.
  case nobody

  /// Whether `stint resume` is the way to go on with a job.
  var isResumed: Bool {
    if case .itsVerb = self { false } else { true }
  }

  /// The work that a command line asks this process for; nil if somebody else does it.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func work(_ parsed: ParsedOptions, in surroundings: Surroundings) throws -> (any KindWork)? {
    switch self {
    case .here(let words, _): try words(parsed, surroundings)
    case .program, .itsVerb, .nobody: nil
    }
  }

  /// Does what a command line of `stint run` asks for.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func begin(_ parsed: ParsedOptions, _ launch: Launch) throws {
    if case .program(let program) = self { try program.become(launch) }
    let surroundings = launch.surroundings
    guard let work = try work(parsed, in: surroundings) else {
      preconditionFailure("No program runs this kind.")
    }
    try work.run(RunOptions(parsed, in: surroundings), launch)
  }

  /// Goes on with a job.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func resume(_ record: JobRecord, _ options: RunOptions, _ launch: Launch) throws {
    if case .program(let program) = self { try program.become(launch) }
    try work(record, options).run(options, launch)
  }

  /// The work of a job that this process can do.
  ///
  /// - Throws: ``StintError``: `usage` if the job's own verb goes on with it, `damaged` if its
  ///   record is of no work that this program knows.
  func work(_ record: JobRecord, _ options: RunOptions) throws -> any KindWork {
    if case .itsVerb(let again) = self {
      throw StintError(.usage, "\(record.key) is \(again(record)).")
    }
    if case .here(_, let read) = self, let work = try read(record, options) { return work }
    throw StintError(
      .damaged,
      "\(record.key) is of the kind \(record.kind) with parameters that this program cannot run.")
  }
}
