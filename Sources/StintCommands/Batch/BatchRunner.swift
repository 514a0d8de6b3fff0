import StintCore
import StintRuntime

/// Starts the processes of a batch's lines and says how they end.
///
/// A seam: the session decides with any runner, and the tests give it one whose processes are
/// words.
protocol BatchRunner: AnyObject, Sendable {
  /// Starts a process in a process group of its own.
  ///
  /// - Parameters:
  ///   - launch: What to start.
  ///   - events: Told of every line that the process writes to its events; any thread.
  ///   - end: Told once when the process has ended and its events are read; any thread, also when
  ///     it could not be started.
  func start(
    _ launch: BatchLaunch, events: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable (BatchExit) -> Void)

  /// Sends a signal to the processes of lines that run.
  func send(_ signal: Int32, to lines: [Int])

  /// Ends the processes of lines that run at once, with everything that they have started.
  ///
  /// - Parameters:
  ///   - lines: The lines; nil for all.
  ///   - done: Called when all of it has the signal and nothing more can start; any thread.
  func kill(_ lines: [Int]?, done: @escaping @Sendable () -> Void)

  /// Lets every process stop as its terminal would, and says when all have stopped or ended.
  ///
  /// - Parameters:
  ///   - limit: When the groups that have not stopped are stopped without being asked.
  ///   - done: Called once; any thread.
  func stopAll(by limit: Instant, done: @escaping @Sendable () -> Void)
}

/// What is started for a line.
struct BatchLaunch: Hashable, Sendable {
  /// The line's position.
  var line: Int
  /// Its number in the file, for messages.
  var number: Int
  /// The program's words after its name.
  var arguments: [String]
  /// The words of a command that is run without this program; nil if there is none.
  var command: [String]?
  /// The time that it is granted, and which of the line's processes it is.
  var budget: Duration?
  var stint = 1
  /// How long it may take to end after SIGTERM when this process is gone.
  var stopGrace = Duration.zero
  /// Whether the process is given a place for its events, which stands in the arguments.
  var wantsEvents: Bool
  /// Whether the process is granted its time in a conversation; else it knows it from its
  /// arguments.
  var speaks: Bool
  /// When the time of a process that is granted it so ends, for what it does before the
  /// conversation begins; nil without an end.
  var deadline: Instant?
  /// Where standard output and standard error go.
  var outputPath: String
  var errorPath: String
  /// What was written there before and stays.
  var kept: Kept

  /// What a process that begins finds of what the one before it wrote.
  enum Kept: Hashable, Sendable {
    /// Both: it goes on where that one ended.
    case both
    /// What was written to standard error; a result is written whole at the end.
    case errors
    /// Nothing: it begins anew.
    case nothing
  }

  /// What stands in the arguments for the path of the events.
  static let eventsPlace = "\u{0}EVENTS"
}

/// How the process of a line ended.
enum BatchExit: Hashable, Sendable {
  case exited(Int32)
  case signalled(Int32)
  case notStarted(StintError)
}
