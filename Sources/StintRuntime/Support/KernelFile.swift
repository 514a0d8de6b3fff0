import Glibc

/// Files of the kernel, such as those of `/proc`, which are short and have no length beforehand.
///
/// Not Foundation's reading: it loses its buffer where a file can be opened and not read, as that
/// of a process that has just ended.
package enum KernelFile {
  /// The whole text, or nil if there is no such file or it cannot be read.
  package static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece.prefix(count)
    }
  }

  /// Where a link leads, as bytes; nil if there is no such link or it cannot be read.
  package static func link(_ path: String) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return count > 0 ? Array(target.prefix(count)) : nil
  }

  /// The lines of a file; none if it cannot be read.
  static func lines(_ path: String) -> [Substring] { text(path)?.split(separator: "\n") ?? [] }

  /// The value of a line of a process's or a thread's `status` (proc_pid_status(5)); nil if there
  /// is no such line.
  static func field(_ name: String, ofStatus text: String) -> Substring? {
    text.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.dropFirst(name.count + 1)
      .drop { $0.isWhitespace }
  }

  /// The fields of a process's or a thread's `stat` from the state on, the third
  /// (proc_pid_stat(5)); empty if it is none, or there is none.
  package static func statFields(_ text: String?) -> [Substring] {
    // The second stands in parentheses and may hold anything.
    guard let text, let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  /// The names in a folder that are numbers, as those of processes are; none if it cannot be read.
  package static func numbers(in path: String) -> [Int32] {
    names(in: path).compactMap { Int32($0) }
  }

  /// The names in a folder, in no order; none if it cannot be read.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
