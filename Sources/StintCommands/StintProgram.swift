import StintRuntime

/// The program `stint`.
public enum StintProgram {
  /// The version of the product.
  public static let version = ProductVersion.text

  /// Reads the command line and carries it out; the process ends here.
  public static func main() -> Never {
    Program.main(since: BootClock.now) { Program(kinds: .stint) { VersionText.render(json: $0) } }
  }
}
