import Glibc

/// What the program says: results on standard output, everything else on standard error.
enum Console {
  /// Writes a result.
  static func write(_ text: String) {
    put(text, to: STDOUT_FILENO)
  }

  /// Says a sentence on the way.
  static func say(_ sentence: String) {
    put(sentence + "\n", to: STDERR_FILENO)
  }

  private static func put(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A reader that has gone wants to hear no more.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
