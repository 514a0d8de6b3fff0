/// What a command line is read in: nothing of it is asked from the process inside the parser.
package struct Surroundings: Sendable {
  package var environment: [String: String]
  package var workingDirectory: String
  package var wallTime: WallTime

  package init(environment: [String: String], workingDirectory: String, wallTime: WallTime) {
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.wallTime = wallTime
  }
}
