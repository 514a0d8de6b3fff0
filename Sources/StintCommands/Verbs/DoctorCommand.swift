import StintCore
import StintRuntime

extension Verb {
  static let doctor = Verb(
    showing: VerbSpecification(
      "doctor", summary: "Check what works on this machine: versions, limits, clocks, file system",
      usage: ["doctor [OPTIONS]"], operands: .none,
      options: [OptionTable.nodes, OptionTable.json, OptionTable.jobsDirectory],
      examples: [
        .init(
          command: "stint doctor --nodes 2",
          meaning: "with Slurm, also whether two nodes see each other's locks")
      ],
      exitStatuses: [.done, .usage, .unavailable])
  ) { try DoctorCommand(context: $0).run() }

  /// `stint lock-probe`: what `stint doctor --nodes` runs on each node; not for people.
  static let lockProbe = Verb(
    VerbSpecification(
      LockProbe.verb, summary: "Look for the locks of other nodes (for stint doctor --nodes)",
      usage: ["lock-probe DIR COUNT"], operands: .own, options: [OptionTable.jobsDirectory])
  ) { invocation in
    SignalWatch.restoreDefaults()
    guard
      let probe = LockProbe(
        invocation.parsed.operands, environment: invocation.launch.start.environment,
        node: StoreIdentity.current().host)
    else {
      throw StintError(.usage, "stint lock-probe is what stint doctor --nodes runs on each node.")
    }
    try VerbResult(output: probe.run().line).end()
  }
}

/// `stint doctor`: says what would work here.
struct DoctorCommand {
  let context: VerbContext

  func run() throws -> VerbResult {
    let nodes = try context.parsed.integer("nodes", in: LockProbe.counts)
    let findings =
      DoctorMachine.findings(context.kinds.programs)
      + DoctorFiles(jobsPath: context.catalog.jobsPath).findings()
      + DoctorMachine.ofProcess(context.surroundings.environment)
      + EngineTable.names.flatMap { name in
        context.engines.engine(named: name).findings(
          jobsPath: context.catalog.jobsPath, nodes: nodes,
          stopGrace: TimeOptions.Defaults.stopGrace)
      }
    return Self.result(findings, json: context.wantsJSON)
  }

  static func result(_ findings: [Finding], json wantsJSON: Bool) -> VerbResult {
    let (missing, warnings) = (findings.count(.missing), findings.count(.warning))
    var result = VerbResult()
    result.exitStatus = missing > 0 ? ExitStatus.unavailable : ExitStatus.finished
    if wantsJSON {
      var json = JSONLine()
      json.add("missing", missing)
      json.add("warnings", warnings)
      json.add("findings", objects: findings.map(\.json))
      result.output = json.line
      return result
    }
    let sum =
      missing + warnings == 0
      ? "Everything that Stint needs works on this machine."
      : "\(missing) missing, \(ReportText.count(warnings, "warning"))."
    result.output = findings.table("CHECK") + sum + "\n"
    return result
  }
}
