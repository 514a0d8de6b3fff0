import CStint
import Foundation
import Glibc

/// What the process was started with.
enum Environment {
  /// The environment's variables.
  static func current() -> [String: String] {
    ProcessInfo.processInfo.environment
  }

  /// The working directory, or "/" if it is gone.
  static func workingDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}

extension WallTime {
  /// The wall clock and the user's time zone.
  package static func now() -> WallTime {
    WallTime(nanosecondsSince1970: stint_wall_ns(), calendar: .current)
  }
}
