extension Verb {
  static let exec = Verb(.exec) { ExecProgram.main(launchedAt: $0.launch.start.launchedAt) }
}
