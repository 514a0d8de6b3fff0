/// A verb of the command line: how it is described, and what carries it out.
package struct Verb: Sendable {
  /// A command line of the verb, and where it came from.
  struct Invocation: Sendable {
    let parsed: ParsedOptions
    let launch: Launch
    let program: Program

    /// What a verb on jobs needs.
    func context() throws -> VerbContext {
      try VerbContext(parsed, in: launch.surroundings, kinds: program.kinds)
    }
  }

  package let specification: VerbSpecification
  /// Carries out a command line; returning, it has finished.
  let run: @Sendable (Invocation) throws -> Void

  init(
    _ specification: VerbSpecification, run: @escaping @Sendable (Invocation) throws -> Void
  ) {
    self.specification = specification
    self.run = run
  }

  /// A verb that shows something, or acts on somebody else's process.
  init(
    showing specification: VerbSpecification,
    result: @escaping @Sendable (VerbContext) throws -> VerbResult
  ) {
    self.init(specification) { invocation in
      let context = try invocation.context()
      SignalWatch.restoreDefaults()
      try result(context).end()
    }
  }

  package var name: String { specification.name }

  /// The same verb, as a form of it describes it.
  func described(by form: VerbSpecification) -> Verb { Verb(form, run: run) }
}

extension Verb: Equatable {
  /// Two verbs of one name are the same.
  package static func == (one: Verb, other: Verb) -> Bool { one.name == other.name }
}
