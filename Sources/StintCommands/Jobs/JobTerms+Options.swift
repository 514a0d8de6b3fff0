import StintCore
package import StintRuntime

extension JobTerms {
  /// Reads what a command line says of its job: the name, the variables that belong to the key, and
  /// whether the jobs directory was given by a relative path.
  ///
  /// - Parameters:
  ///   - parsed: The command line.
  ///   - surroundings: What it is read in.
  ///   - takesAnyName: Whether a name is checked later, because an older version took any.
  /// - Throws: ``StintError`` with the code `usage`.
  package init(
    _ parsed: ParsedOptions, in surroundings: Surroundings, takesAnyName: Bool = false
  ) throws {
    self.init()
    name = parsed.text("name")
    if let name, !takesAnyName { try Self.check(name) }
    environment = try Self.variables(parsed.texts("key-env"), in: surroundings)
    if try JobsDirectory.relativePath(parsed, in: surroundings) != nil {
      workingDirectory = try surroundings.folder()
    }
  }

  /// Refuses what cannot be the name of a job.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func check(_ name: String) throws(StintError) {
    if JobKey.isName(name) { return }
    throw StintError(
      .usage,
      JobKey.isKey(name)
        ? "--name \(name) looks like the key of a job; give another name."
        : "--name \"\(name.prefix(80))\" cannot be a name; use 1 to \(JobKey.longestName) letters, "
          + "digits, dots, underscores and hyphens, and no hyphen at the beginning.")
  }

  private static func variables(
    _ names: [String], in surroundings: Surroundings
  ) throws -> [String: String] {
    var values = surroundings.keyVariables
    for name in names {
      guard !name.contains("=") else {
        throw StintError(
          .usage, "--key-env takes the name of a variable; leave \"=\" and what follows it out.")
      }
      guard let value = surroundings.environment[name] else {
        throw StintError(
          .usage, "--key-env \(name.prefix(80)): the variable is not set in the environment.")
      }
      try OptionScanner.checkText(value, of: "$" + name)
      values[name] = value
    }
    return values
  }
}
