import StintCore

/// A copy of a product without symbols, as `make install` makes it.
///
/// A file that the linker has just written lies in small pieces in the page cache, and starts half
/// a millisecond later.
enum StrippedProgram {
  /// Copies a product that lies beside this program into a folder.
  ///
  /// - Returns: The path of the copy.
  /// - Throws: ``StintError`` with the code `unavailable` if the product or `objcopy` is missing.
  static func copy(_ product: String, into folder: String) throws -> String {
    let copy = folder + "/" + product
    let strip = try ChildProcess(
      "objcopy", ["--strip-all", ChildProcess.sibling(product), copy])
    guard strip.wait().end == .exited(0) else {
      throw StintError(
        .unavailable, "objcopy could not copy \(product); on Debian it is in binutils.")
    }
    return copy
  }
}
