import StintCore

/// What `--version` prints; `stint doctor` asks `stint-images` for it.
package enum VersionText {
  /// Renders the version of a program, and of the library that it alone links.
  package static func render(
    _ program: String = "stint", libvips: String? = nil, json: Bool
  ) -> String {
    guard json else {
      return "\(program) \(ProductVersion.text)\(libvips.map { ", libvips \($0)" } ?? "")\n"
    }
    var line = JSONLine()
    line.add("version", ProductVersion.text)
    line.add("libvips", libvips)
    return line.line
  }
}
