import StintCore

/// A time limit of a job, in the forms of Slurm and in those of Stint.
struct SlurmTime: Hashable, Sendable {
  /// The limit in whole seconds.
  let seconds: Int64

  /// Reads a limit.
  ///
  /// Slurm's forms are those of `sbatch --time`: minutes, `M:S`, `H:M:S`, `D-H`, `D-H:M` and
  /// `D-H:M:S`. What has a unit, such as `90s` or `1h30m`, is a duration of Stint.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ text: String, of option: String) throws(StintError) {
    let seconds: Int64
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 || $0 == 58 }) {
      guard let read = Self.seconds(text) else {
        throw StintError(
          .usage,
          "\(option) \(text.prefix(60)) is no time limit; write minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S as for "
            + "sbatch, or a duration such as 90m or 1h.")
      }
      seconds = read
    } else {
      do throws(DurationTextError) {
        seconds = (try Duration(text: text).nanoseconds + 999_999_999) / 1_000_000_000
      } catch {
        throw StintError(.usage, "\(option) \(error), or a time as for sbatch, such as 1:00:00.")
      }
    }
    guard seconds > 0 else {
      throw StintError(
        .usage,
        "\(option) \(text.prefix(60)) would set no limit, and no slice would be told of its end; leave it "
          + "out for the limit of the partition.")
    }
    self.seconds = seconds
  }

  private static func seconds(_ text: String) -> Int64? {
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    let parts = halves[halves.count - 1].split(separator: ":", omittingEmptySubsequences: false)
    // Nothing that a limit can be is longer.
    let numbers = parts.compactMap { $0.utf8.count <= 9 ? Int64($0) : nil }
    guard halves.count <= 2, numbers.count == parts.count, (1...3).contains(numbers.count) else {
      return nil
    }
    if halves.count == 2 {
      guard halves[0].utf8.count <= 6, let days = Int64(halves[0]) else { return nil }
      return zip([3600, 60, 1], numbers).reduce(days * 86_400) { $0 + $1.0 * $1.1 }
    }
    let units: [Int64] = numbers.count == 3 ? [3600, 60, 1] : [60, 1]
    return zip(units, numbers).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// The limit that Slurm sets: it counts whole minutes, and rounds up.
  var given: Duration { .seconds((seconds + 59) / 60 * 60) }

  /// A sentence if Slurm sets another limit than the one that was asked for.
  var notice: String? {
    guard seconds % 60 != 0 else { return nil }
    return "Slurm counts whole minutes and rounds up: the limit of each slice is "
      + "\(Self.text((seconds + 59) / 60 * 60)), and not \(text)."
  }

  /// The limit as `sbatch` takes it.
  var text: String { Self.text(seconds) }

  private static func text(_ seconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
