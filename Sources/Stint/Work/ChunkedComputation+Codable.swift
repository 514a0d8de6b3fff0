import Foundation
import StintCore

/// States that need no code of their own to be saved.
///
/// A state that is `Codable` is written as JSON with sorted keys. That suits states of up to about
/// a megabyte; a large one writes ``ChunkedComputation/encode(_:into:)`` itself and lends its
/// buffers.
extension ChunkedComputation where State: Codable {
  /// Appends the state as JSON.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - payload: What becomes the checkpoint.
  /// - Throws: The encoder's error if the state has a value that JSON cannot hold, such as an
  ///   infinite number.
  public func encode(_ state: State, into payload: inout CheckpointPayload) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    payload.append(try encoder.encode(state))
  }

  /// Makes a state from JSON.
  ///
  /// - Parameters:
  ///   - payload: The bytes of a checkpoint.
  ///   - workspace: Where earlier chunks left their partial output; it is not looked at.
  /// - Returns: The state.
  /// - Throws: ``StintError`` with the code `damaged` if the bytes are not a state.
  public func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State
  {
    do {
      return try JSONDecoder().decode(State.self, from: Data(payload))
    } catch {
      throw StintError(
        .damaged, "The checkpoint's payload is not a state of this computation: \(error).",
        underlying: error)
    }
  }
}
