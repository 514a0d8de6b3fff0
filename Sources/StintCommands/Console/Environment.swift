import CStint
import Glibc
import StintRuntime

/// What the process was started with.
package enum Environment {
  /// The environment's variables.
  static func current() -> [String: String] {
    // Not Foundation's, which costs a short command's start more than all the rest.
    var variables: [String: String] = [:]
    var next = environ
    while let line = next.pointee {
      next += 1
      guard let sign = strchr(line, Int32(UInt8(ascii: "="))) else { continue }
      let name = UnsafeBufferPointer(start: line, count: sign - line).map(UInt8.init(bitPattern:))
      // Of a name that stands there twice, getenv(3) takes the first as well.
      let key = String(decoding: name, as: UTF8.self)
      if variables[key] == nil { variables[key] = String(cString: sign + 1) }
    }
    return variables
  }

  /// The words of the command line as they were given; a String would have mended what is no UTF-8.
  static func words() -> [[UInt8]] {
    (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        UnsafeBufferPointer(start: word, count: strlen(word)).map(UInt8.init(bitPattern:))
      }
    }
  }

  /// The words after the program's name, by which the same can be started again.
  static var ownCommand: [[UInt8]] { Array(words().dropFirst()) }

  /// The bytes of a word of the command line that a String may have mended.
  package static func bytes(of word: String) -> [UInt8] {
    guard word.unicodeScalars.contains("\u{FFFD}") else { return Array(word.utf8) }
    return words().first { String(decoding: $0, as: UTF8.self).utf8.elementsEqual(word.utf8) }
      ?? Array(word.utf8)
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
    WallTime(nanosecondsSince1970: stint_wall_ns(), calendar: .current, instant: BootClock.now)
  }
}
