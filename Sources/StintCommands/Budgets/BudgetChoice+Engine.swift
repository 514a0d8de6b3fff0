extension BudgetChoice {
  private static let noEngine = OptionSpecification(
    "no-engine", group: .time,
    help: "Inside a Slurm job, ignore the end of its allocation")

  /// The end of the allocation in which this process runs.
  static let engine = BudgetChoice(without: noEngine) { parsed, surroundings in
    // Whoever grants this process its time has asked already.
    guard !surroundings.isGrantedTime, !parsed.has(noEngine.name) else { return nil }
    return EngineTable.engine(in: surroundings.environment).allocation.map { .asked($0) }
  }
}
