import Glibc

/// The program `stint-images`: what `stint` becomes for the image verbs.
public enum StintImagesProgram {
  /// Reads the command line and carries it out; the process ends here.
  public static func main() -> Never {
    exit(70)
  }
}
