import StintCore

extension LaunchRecord {
  /// The words as a shell would have to be given them.
  var text: String { words.map(ShellWord.quoted).joined(separator: " ") }
}
