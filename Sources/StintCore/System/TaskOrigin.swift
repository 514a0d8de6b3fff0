/// Where in the program something was asked for, for diagnostics (A2).
public struct TaskOrigin: Hashable, Sendable {
  /// The calling function.
  public var function: String
  /// The file, as module and name.
  public var file: String
  /// The line in the file.
  public var line: UInt

  /// Creates an origin.
  ///
  /// - Parameters:
  ///   - function: The calling function.
  ///   - file: The file, as module and name.
  ///   - line: The line in the file.
  public init(function: String, file: String, line: UInt) {
    self.function = function
    self.file = file
    self.line = line
  }

  /// The place where this is called.
  ///
  /// - Parameters:
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The caller's place.
  public static func here(
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> TaskOrigin {
    TaskOrigin(function: function, file: file, line: line)
  }

  /// A caller that UIKit's own signature does not let us see.
  public static let unknown = TaskOrigin(function: "", file: "", line: 0)
}

extension TaskOrigin: CustomStringConvertible {
  /// Function, file and line.
  public var description: String {
    file.isEmpty ? "an unknown place" : "\(function) (\(file):\(line))"
  }
}
