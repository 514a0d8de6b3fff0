import Glibc
import StintCore
import StintRuntime

/// A system that runs jobs slice after slice, and limits their time.
///
/// Verbs, chains and budgets ask one; none of them knows which it is. A chain is one array in the
/// engine's queue, whose tasks are its slices.
protocol Engine: Sendable {
  /// Its name in records.
  var name: String { get }
  /// Its name in sentences.
  var title: String { get }
  /// The slice that this process is; nil outside of any.
  var slice: EngineSlice? { get }
  /// Variables by which a process knows that it runs in a slice.
  var variablesOfSlice: [String: String] { get }
  /// Asks when the allocation ends in which this process runs; nil outside of any.
  var allocation: AllocationQuestion? { get }

  /// Refuses a chain with more slices than it takes.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func check(links: Int) throws(StintError)

  /// The script by which each task of a chain begins its slice.
  func script(of chain: ChainHandOver) -> String

  /// The command that hands over a chain whose script is in its folder.
  func command(for chain: ChainHandOver) -> [String]

  /// The command that hands over a job that follows, by the user's words.
  func command(forFollower words: [String]) -> [String]

  /// Hands something over by its command; its number in the queue.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` that says why, or that nobody knows
  ///   whether it was taken.
  func submit(_ command: [String]) throws(StintError) -> String

  /// What may become of another try after a refusal.
  func refusal(_ error: StintError) -> EngineRefusal

  /// How an array stands in the queue.
  func standing(
    of array: String, within patience: Duration
  ) -> Result<EngineStanding, EngineFailure>

  /// How all arrays and jobs of this user stand that wait or run, by their numbers.
  func standings(within patience: Duration) -> Result<[String: EngineStanding], EngineFailure>

  /// The number of this user's array that waits or runs with a script; nil if there is none.
  func array(running script: String) -> Result<String?, EngineFailure>

  /// Takes the tasks of arrays that have not begun out of the queue; why that failed, or nil.
  func cancelPending(_ arrays: [String]) -> String?

  /// Takes the tasks of an array after one of so many out of the queue; none can have begun.
  func cancel(_ array: String, after task: Int, of count: Int)

  /// Holds the tasks of an array that have not begun, and keeps the reason; why that failed, or
  /// nil.
  func hold(_ array: String, because why: String) -> String?

  /// Lets the tasks of an array begin that were held; why that failed, or nil.
  func release(_ array: String) -> String?

  /// How it ended a job, such as a task of an array, or is about to; nil if it does not say, or if
  /// the job ends by itself.
  func end(of job: String) -> SliceEnd?

  /// The tasks of an array that failed, as far as it remembers them.
  func failures(of array: String) -> [EngineTask]

  /// What `stint doctor` says of it, and of locks in the jobs directory between so many of its
  /// nodes; of its settings, by how long work usually saves after SIGTERM.
  func findings(jobsPath: String, nodes: Int?, stopGrace: Duration) -> [Finding]
}

/// Begins to ask when an allocation ends, for work that is warned so long before the end.
typealias AllocationQuestion =
  @Sendable (_ lead: Duration, _ complain: @escaping @Sendable (String) -> Void)
  throws(StintError) -> any BudgetSource

/// The engines; here one is added.
enum EngineTable {
  /// The engine that this process uses.
  static func engine(in environment: [String: String]) -> any Engine {
    Slurm(environment: environment)
  }
}

/// How long an answer of an engine may take.
enum EnginePatience {
  /// A controller that is busy answers late, one that is gone never.
  static let usual = Duration.seconds(10)
  /// A person waits for the answer.
  static let ofPerson = Duration.seconds(3)
}

/// One allocation of an engine, as the process in it knows it.
struct EngineSlice: Hashable, Sendable {
  /// The number of the array.
  let array: String
  /// Which task of the array it is, from 1.
  let task: Int
  /// The engine's name for it.
  let job: String?
  /// Where it runs.
  let node: String?
}

/// What may become of another try after an engine took nothing.
enum EngineRefusal: Hashable, Sendable {
  /// It may be taken later.
  case passing
  /// The engine has enough of this user.
  case ofLimits
  /// It would refuse the same words again.
  case permanent
}

extension StintError {
  /// Whether the engine may have taken a submission, or may still take it, although that failed.
  var mayHaveBeenTaken: Bool { errno == ETIMEDOUT }
}

/// How an array stands in the queue of an engine.
struct EngineStanding: Hashable, Sendable {
  /// Whether a task runs or has just ended.
  var isRunning = false
  /// Why the tasks that have not begun wait, in the engine's words; nil if there are none.
  var reason: String?
  /// Whether nothing begins until somebody releases it.
  var isHeld = false
  /// Whether it waits for a job that can never end as it should.
  var canNeverBegin = false
  /// Why a slice holds those that wait.
  var comment: String?

  /// Whether a task runs, or waits and can begin some day.
  var isQueued: Bool { isRunning || reason != nil && !canNeverBegin }
}

/// A task of an array that an engine remembers.
struct EngineTask: Hashable, Sendable {
  /// The engine's name for it, such as `120_4`.
  var job: String
  var node: String
  var exitCode: String
  /// Whether the log could not be opened: then its script never began.
  var lacksOutput: Bool
}

/// Why an engine gave no answer.
struct EngineFailure: Error, Hashable {
  /// A clause for people.
  let why: String
  /// What its command wrote to standard error, at most three lines of it.
  var said: String?
  /// Whether the command is not there.
  var isAbsent = false
  /// Whether the command was ended before it gave an answer.
  var isLate = false

  /// Whether the engine may have taken what it was told all the same.
  var mayHaveTaken: Bool { isLate || said?.contains("timed out") ?? false }
}
