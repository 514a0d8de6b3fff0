import Glibc
import StintCore
import StintRuntime

/// When lines are started, and how long each may run.
struct BatchPace: Hashable, Sendable {
  /// The least time between two starts.
  var delay = Duration.zero
  /// The least memory that is available when a line is started, in bytes; nil without a limit.
  var memoryFree: Int?
  /// The most load average at which a line is started; nil without a limit.
  var load: Double?
  /// How long a line may run; nil without a limit.
  var timeout: Duration?
  /// How long a line that has failed waits for its next run.
  var retryDelay = Duration.zero
  /// By what the time of each further run is multiplied.
  var retryMoreTime = 1.0

  init() {}

  /// Reads the options of a batch that runs each line so often.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions, runs: Int) throws {
    delay = try parsed.duration("delay") ?? .zero
    memoryFree = try parsed.value("memory-free").map { value throws(StintError) in
      guard let bytes = Self.bytes(value.text) else {
        throw value.refusal("is no size; write bytes, or such as 512M or 4G.")
      }
      return bytes
    }
    load = try parsed.value("load").map { value throws(StintError) in
      let isShare = value.text.last == "%"
      guard let number = Double(isShare ? String(value.text.dropLast()) : value.text),
        number.isFinite, number > 0
      else {
        throw value.refusal(
          "is no load; write a number such as 4, or a share of the processors such as 80%.")
      }
      return isShare ? number / 100 * Double(Processors.available()) : number
    }
    timeout = try parsed.duration("timeout", least: .milliseconds(1))
    retryDelay = try parsed.duration("retry-delay") ?? .zero
    if let value = parsed.value("retry-more-time") {
      guard let factor = Double(value.text), factor >= 1, factor <= 1000 else {
        throw value.refusal("is no factor; write one from 1 to 1000.")
      }
      retryMoreTime = factor
      if timeout == nil {
        throw StintError(.usage, "--retry-more-time lengthens --timeout; give that, too.")
      }
    }
    for name in ["retry-delay", "retry-more-time"] where parsed.has(name) && runs == 1 {
      throw StintError(.usage, "--\(name) is for further runs; give --retries, too.")
    }
  }

  /// Reads a number of bytes, or of kibibytes, mebibytes, gibibytes or tebibytes.
  static func bytes(_ text: String) -> Int? {
    let units = ["": 0, "K": 10, "M": 20, "G": 30, "T": 40]
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    var unit = text.dropFirst(digits.count).uppercased()
    for ending in ["IB", "B"] where unit.hasSuffix(ending) {
      unit.removeLast(ending.count)
      break
    }
    guard let number = Int(digits), let shift = units[unit],
      number <= Int.max >> shift
    else { return nil }
    return number << shift
  }

  /// How long a run of a line may take; the first run is 1.
  func timeout(ofRun run: Int) -> Duration? {
    timeout.map { Duration(clampingSeconds: $0.inSeconds * pow(retryMoreTime, Double(run - 1))) }
  }

  /// Whether each start has to wait for something.
  var asksBeforeStart: Bool { delay > .zero || memoryFree != nil || load != nil }

  /// Why no line may be started now, as a clause; nil if one may.
  var obstacle: String? {
    if let memoryFree, let available = Memory.available(), available < memoryFree {
      return "less than \(ReportText.grouped(memoryFree)) bytes of memory is available"
    }
    var average = 0.0
    if let load, getloadavg(&average, 1) == 1, average > load {
      return "the load average is \((average * 100).rounded() / 100)"
    }
    return nil
  }
}
