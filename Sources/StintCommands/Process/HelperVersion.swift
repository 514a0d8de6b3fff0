import StintCore
import StintRuntime

/// What a helper program says of itself with `--version --json`.
struct HelperVersion: Hashable {
  var version: String
  /// The version of the library for which there is the program; nil where it was built without.
  var library: String?

  /// Asks a program; nil if it does not start or says something else.
  static func ask(_ path: String, of library: String) -> HelperVersion? {
    let call = ProgramCall([path, "--version", "--json"], within: .seconds(10))
    guard case .ended(0, let output, _) = call.run(), let object = try? JSONObject(output),
      let version = object["version"]?.text
    else { return nil }
    return HelperVersion(version: version, library: object[library]?.text)
  }
}
