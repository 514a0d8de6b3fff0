extension HelperProgram {
  /// What `stint doctor` says of the program.
  func findings() -> [DoctorFinding] {
    findings(at: path(besides: Self.ownPath()), ask: ImagesVersion.ask)
  }

  /// The same of a program that is found somewhere, or nowhere.
  ///
  /// - Parameters:
  ///   - path: Where it is; nil if it is not there.
  ///   - ask: What it says of itself; nil if it does not start.
  /// - Returns: One finding on the program, and one on its libvips if it starts.
  func findings(at path: String?, ask: (String) -> ImagesVersion?) -> [DoctorFinding] {
    guard let path else {
      return [
        DoctorFinding(
          name, .warning, "not installed",
          advice: "stint run image needs it; build with libvips-dev and run make install")
      ]
    }
    guard let found = ask(path) else {
      return [
        DoctorFinding(
          name, .warning, "\(path) does not start",
          advice: "run \(path) --version to see why; the library libvips42 may be missing")
      ]
    }
    let isSame = found.version == ProductVersion.text
    var findings = [
      DoctorFinding(
        name, isSame ? .ok : .warning, "\(found.version) at \(path)",
        advice: isSame ? nil : "stint is \(ProductVersion.text); install both again")
    ]
    if let libvips = found.libvips {
      findings.append(DoctorFinding("libvips", .ok, libvips))
    } else {
      findings.append(
        DoctorFinding(
          "libvips", .warning, "built without",
          advice: "stint run image needs it; build with the trait Images"))
    }
    return findings
  }
}
