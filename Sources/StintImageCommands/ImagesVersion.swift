import StintCommands
import StintRuntime

#if Images
import StintImages
#endif

/// What `stint-images --version` prints; `stint doctor` asks for it.
enum ImagesVersion {
  static func text(json: Bool) -> String {
    guard json else {
      return "stint-images \(StintProgram.version)\(library.map { ", libvips \($0)" } ?? "")\n"
    }
    var line = JSONLine()
    line.add("version", StintProgram.version)
    line.add("libvips", library)
    return line.line
  }

  #if Images
  private static var library: String? { VipsLibrary.version }
  #else
  private static var library: String? { nil }
  #endif
}
