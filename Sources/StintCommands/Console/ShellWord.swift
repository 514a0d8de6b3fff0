import StintCore

/// Words of a command line as they are shown, and as scripts hold them.
enum ShellWord {
  /// A word as a shell would have to be given it.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || "%+,-./:=@_".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.escaped(["'": "'\\''"]))'"
  }
}
