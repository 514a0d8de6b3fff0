/// A preset of the system policy, as the command line names it.
package enum PolicyName: String, Hashable, Sendable, CaseIterable {
  case iOS6 = "ios6"
  case iOS7 = "ios7"
  case iOS13 = "ios13"
  case harmonyOS = "harmonyos"
  case commandLine = "command-line"
  case unlimited
}
