extension HelperProgram {
  /// What `stint doctor` says of the program.
  func findings() -> [DoctorFinding] {
    findings(at: path(besides: Self.ownPath())) { HelperVersion.ask($0, of: library) }
  }

  /// The findings on a program, whether it was found or not.
  ///
  /// - Parameters:
  ///   - path: Where it is; nil if it is not there.
  ///   - ask: What it says of itself; nil if it does not start.
  /// - Returns: One finding on the program, and one on its library if it starts.
  func findings(at path: String?, ask: (String) -> HelperVersion?) -> [DoctorFinding] {
    guard let path else {
      return [DoctorFinding(name, .warning, "not installed", advice: remedy)]
    }
    guard let found = ask(path) else {
      return [
        DoctorFinding(
          name, .warning, "\(path) does not start",
          advice: "run \(path) --version to see why; the library \(library) may be missing")
      ]
    }
    let isSame = found.version == ProductVersion.text
    var findings = [
      DoctorFinding(
        name, isSame ? .ok : .warning, "\(found.version) at \(path)",
        advice: isSame ? nil : "stint is \(ProductVersion.text); install both again")
    ]
    findings.append(
      found.library.map { DoctorFinding(library, .ok, $0) }
        ?? DoctorFinding(library, .warning, "built without", advice: remedy))
    return findings
  }
}
