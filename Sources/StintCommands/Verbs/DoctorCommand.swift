import StintCore
import StintRuntime

/// One thing that `stint doctor` looked at.
struct DoctorFinding: Hashable, Sendable {
  enum State: String, Hashable, Sendable {
    case ok, warning, missing
  }

  var name: String
  var state: State
  /// What was found.
  var text: String
  /// What to do about it.
  var advice: String?

  init(_ name: String, _ state: State, _ text: String, advice: String? = nil) {
    self.name = name
    self.state = state
    self.text = text
    self.advice = advice
  }

  /// One that is a warning with its advice, or nothing to worry about.
  init(_ name: String, _ text: String, warnsIf isBad: Bool, advice: String) {
    self.init(name, isBad ? .warning : .ok, text, advice: isBad ? advice : nil)
  }

  var json: JSONLine {
    var json = JSONLine()
    json.add("name", name)
    json.add("state", state.rawValue)
    json.add("text", text)
    json.add("advice", advice)
    return json
  }
}

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
}

/// `stint doctor`: says what would work here.
struct DoctorCommand {
  let context: VerbContext

  func run() throws -> VerbResult {
    let nodes = try context.parsed.integer("nodes", in: DoctorNodes.counts)
    let environment = context.surroundings.environment
    let findings =
      DoctorVersions.findings() + context.kinds.programs.flatMap { $0.findings() }
      + DoctorMachine.findings()
      + DoctorFiles(jobsPath: context.catalog.jobsPath).findings()
      + DoctorProcess.findings(environment: environment)
      + DoctorCluster(
        environment: environment, jobsPath: context.catalog.jobsPath, nodes: nodes
      ).findings()
    return Self.result(findings, json: context.wantsJSON)
  }

  static func result(_ findings: [DoctorFinding], json wantsJSON: Bool) -> VerbResult {
    let missing = findings.filter { $0.state == .missing }.count
    let warnings = findings.filter { $0.state == .warning }.count
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
    var table = TextTable([("CHECK", .left), ("STATE", .left), ("WHAT WAS FOUND", .left)])
    for finding in findings {
      let advice = finding.advice.map { "; \($0)" } ?? ""
      table.add([finding.name, finding.state.rawValue, finding.text + advice])
    }
    let sum =
      missing + warnings == 0
      ? "Everything that Stint needs works on this machine."
      : "\(missing) missing, \(warnings) warning\(warnings == 1 ? "" : "s")."
    result.output = table.render() + sum + "\n"
    return result
  }
}
