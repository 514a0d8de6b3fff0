package import Foundation
import StintCore

/// A line that a worker wrote of itself, in the format of `--events` (`docs/formats/events.md`), as
/// far as a benchmark reads it.
///
/// A worker of the benchmark's own also writes `chunk`: `index`, `beganBootSeconds`, and in
/// `doneSeconds` the job's work with it.
package struct EventLine: Hashable, Sendable {
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
    bytes.split(separator: 0x0A).compactMap { try? EventLine(JSONObject(Array($0))) }
  }

  private init(_ object: JSONObject) throws(JSONFault) {
    event = try object.text("event")
    bootSeconds = try object.optionalNumber("bootSeconds")
    state = try object.optionalText("state")
    fraction = try object.optionalNumber("fraction")
    remainingSeconds = try object.optionalNumber("remainingSeconds")
    workTimeSeconds = try object.optionalNumber("workTimeSeconds")
    tookSeconds = try object.optionalNumber("tookSeconds")
    index = try object.optionalInteger("index")
    beganBootSeconds = try object.optionalNumber("beganBootSeconds")
    doneSeconds = try object.optionalNumber("doneSeconds")
  }
}
