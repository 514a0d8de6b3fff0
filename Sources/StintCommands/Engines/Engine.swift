import Glibc
import StintCore
import StintRuntime

/// A system that runs jobs slice after slice, and limits their time.
///
/// Verbs, chains and budgets ask one; none of them knows which it is. A chain is one array in the
/// engine's queue, whose tasks are its slices.
protocol Engine: Sendable {
  /// Its name in records and options.
  var name: String { get }
  /// Its name in sentences.
  var title: String { get }
  /// Its queue in sentences.
  var titleOfQueue: String { get }
  /// Whether slices run on other machines, which have to see the folders of the work.
  var reachesOtherMachines: Bool { get }
  /// The slice that this process is; nil outside of any.
  var slice: EngineSlice? { get }
  /// Variables by which a process knows that it runs in a slice.
  var variablesOfSlice: [String: String] { get }
  /// The end of the allocation in which this process runs; nil outside of any.
  var allocation: EngineAllocation? { get }

  /// Refuses a chain with more slices than it takes.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func check(links: Int) throws(StintError)

  /// An array in sentences, by its number.
  func title(ofArray number: String) -> String

  /// What was handed over in sentences, by its number.
  func title(ofJob number: String) -> String

  /// How somebody takes arrays out of the queue whom Stint cannot help, as a clause.
  func adviceOnCancelling(_ arrays: [String]) -> String

  /// The script by which each task of a chain begins its slice; nil if it needs none.
  func script(of chain: ChainHandOver) -> String?

  /// What handing a chain over would do, for people.
  func dryRun(of chain: ChainHandOver) -> String

  /// Where the slices of an array write what they print.
  func log(of array: String?, in chain: String) -> String

  /// Hands over a chain whose script is in its folder; its number in the queue.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` that says why, or that nobody knows
  ///   whether it was taken.
  func submit(_ chain: ChainHandOver) throws(StintError) -> String

  /// Hands over a job that follows, by the user's words, from the folder of the work; its number
  /// in the queue.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`, as ``submit(_:)``.
  func submit(
    follower words: [String], from folder: String, markedAs mark: String
  ) throws(StintError) -> String

  /// Whether a job that follows was taken, by its mark: its number, or nil; fails if the engine
  /// keeps no marks or cannot be asked.
  func follower(markedAs mark: String) -> Result<String?, EngineFailure>

  /// What may become of another try after a refusal.
  func refusal(_ error: StintError) -> EngineRefusal

  /// How an array stands in the queue.
  func standing(
    of array: String, within patience: Duration
  ) -> Result<EngineStanding, EngineFailure>

  /// How all arrays and jobs of this user stand that wait or run, by their numbers.
  func standings(within patience: Duration) -> Result<[String: EngineStanding], EngineFailure>

  /// The number of this user's array that waits or runs for a chain, by the chain's folder; nil if
  /// there is none.
  func array(ofChainIn folder: String) -> Result<String?, EngineFailure>

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

  /// What a signal to save and end means that reached a slice; nil if ``end(of:)`` says more.
  var endByWarning: SliceEnd? { get }

  /// The tasks of an array that failed, as far as it remembers them.
  func failures(of array: String) -> [EngineTask]

  /// What `stint doctor` says of it, and of locks in the jobs directory between so many of its
  /// nodes; of its settings, by how long work usually saves after SIGTERM.
  func findings(jobsPath: String, nodes: Int?, stopGrace: Duration) -> [Finding]
}

/// How the end of an allocation is known.
enum EngineAllocation: Sendable {
  /// It was settled when it began.
  case settled(any BudgetSource)
  case asked(AllocationQuestion)
}

/// Begins to ask when an allocation ends, for work that is warned so long before the end.
typealias AllocationQuestion =
  @Sendable (_ lead: Duration, _ complain: @escaping @Sendable (String) -> Void)
  throws(StintError) -> any BudgetSource

extension Engine {
  var titleOfQueue: String { "\(title)'s queue" }
  var reachesOtherMachines: Bool { true }
  var endByWarning: SliceEnd? { nil }

  func follower(markedAs mark: String) -> Result<String?, EngineFailure> {
    .failure(EngineFailure(why: "\(title) keeps no marks"))
  }

  func title(ofArray number: String) -> String { "\(title) array \(number)" }
  func title(ofJob number: String) -> String { "\(title) job \(number)" }
}

/// The engines; here one is added.
struct EngineTable: Sendable {
  /// Their names, the usual one first.
  static let names = [EngineJob.slurm, EngineJob.local]

  /// The environment of this process.
  let environment: [String: String]
  let jobsPath: String
  /// The one for its name that a test has made.
  var given: (any Engine)?

  /// The engine of a name; the usual one for a name that is none.
  func engine(named name: String) -> any Engine {
    if let given, given.name == name { return given }
    switch name {
    case EngineJob.local: return LocalQueue(environment: environment, jobsPath: jobsPath)
    case _: return Slurm(environment: environment)
    }
  }

  /// The allocation in which a process runs: that of the queue, which may itself be served in one
  /// of another engine, else that one's; nil outside of any.
  static func allocation(in environment: [String: String]) -> EngineAllocation? {
    LocalQueue.allocation(in: environment) ?? Slurm(environment: environment).allocation
  }

  /// The engine that has a chain or an array of chains.
  func engine(of record: ChainRecord) -> any Engine { engine(named: record.engine) }
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
