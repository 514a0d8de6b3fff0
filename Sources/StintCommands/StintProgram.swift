import StintRuntime

/// The program `stint`.
package enum StintProgram {
  /// The version of the product.
  package static let version = ProductVersion.text

  /// Reads the command line and carries it out; the process ends here.
  package static func main() -> Never {
    Program.main(since: BootClock.now) { Program(kinds: .stint) { VersionText.render(json: $0) } }
  }
}
