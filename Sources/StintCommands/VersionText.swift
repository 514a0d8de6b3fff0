import StintCore

/// What `stint --version` prints.
enum VersionText {
  static func render(json: Bool) -> String {
    guard json else { return "stint \(StintProgram.version)\n" }
    var line = JSONLine()
    line.add("version", StintProgram.version)
    return line.line
  }
}
