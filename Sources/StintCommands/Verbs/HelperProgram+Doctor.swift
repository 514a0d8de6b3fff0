extension HelperProgram {
  /// What `stint doctor` says of the program.
  func findings() -> [DoctorFinding] {
    findings(at: path(besides: Self.ownPath())) { HelperVersion.ask($0, of: library) }
  }

  /// The findings on a program, wherever it is: one on itself, and one on its library if it starts
  /// when it is asked for its version.
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
    return [
      DoctorFinding(
        name, "\(found.version) at \(path)", warnsIf: found.version != ProductVersion.text,
        advice: "stint is \(ProductVersion.text); install both again"),
      DoctorFinding(
        library, found.library ?? "built without", warnsIf: found.library == nil, advice: remedy),
    ]
  }
}
