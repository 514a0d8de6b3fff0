extension BudgetChoice {
  private static let noEngine = OptionSpecification(
    "no-engine", group: .time,
    help: "In a slice or a Slurm job, ignore the end of its allocation")

  /// The end of the allocation in which this process runs.
  static let engine = BudgetChoice(without: noEngine) { parsed, surroundings in
    // Whoever grants this process its time has asked already.
    guard !surroundings.isGrantedTime, !parsed.has(noEngine.name) else { return nil }
    return switch EngineTable.allocation(in: surroundings.environment) {
    case .settled(let source): .steady(source)
    case .asked(let question): .asked(question)
    case nil: nil
    }
  }
}
