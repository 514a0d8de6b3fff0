import StintCore

/// What `stint --version` prints.
enum VersionText {
  static func render(json: Bool) -> String {
    guard json else { return "stint \(ProductVersion.text)\n" }
    var line = JSONLine()
    line.add("version", ProductVersion.text)
    return line.line
  }
}
