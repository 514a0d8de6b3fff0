package import Foundation

/// A line that a worker wrote of itself, in the format of `--events` (`docs/formats/events.md`), as far as a benchmark reads it.
///
/// A worker of the benchmark's own also writes `chunk`: `index`, `beganBootSeconds`, and in `doneSeconds` the job's work with it.
package struct EventLine: Hashable, Sendable, Decodable {
  package var event: String
  package var bootSeconds: Double?
  package var state: String?
  package var fraction: Double?
  package var remainingSeconds: Double?
  package var workTimeSeconds: Double?
  package var tookSeconds: Double?
  package var index: Int?
  package var beganBootSeconds: Double?
  package var doneSeconds: Double?

  /// Reads a file; a line that is cut or of another kind is passed over.
  package static func lines(of bytes: Data) -> [EventLine] {
    let decoder = JSONDecoder()
    return bytes.split(separator: 0x0A).compactMap {
      try? decoder.decode(EventLine.self, from: Data($0))
    }
  }
}
