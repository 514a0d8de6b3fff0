package import StintRuntime

/// Puts a finished partial file where the result belongs; what it did is durable when it returns
/// (W9).
///
/// The arguments are the workspace and the name of the partial file in it. It may be called again
/// after a kill.
package typealias ResultSink = @Sendable (_ workspace: any Workspace, _ name: String) throws -> Void
