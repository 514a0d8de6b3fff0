/// A program with the words of its command line.
struct ProgramCommand {
  var program: String
  var arguments: [String]
  var variables: [String: String] = [:]
}
