extension HelpText {
  package static func renderOverview(width: Int) -> String {
    let width = min(max(width, 50), 100)
    var lines = ["Usage: stint VERB [ARGUMENTS] [OPTIONS]", ""]
    lines += wrapped(
      "Finishes long computations in short time slices, called stints, and loses nothing when "
        + "the time runs out.", width: width)
    lines += ["", "Verbs:"]
    lines += table(VerbTable.all.map { ($0.name, $0.specification.summary) }, width: width) + [""]
    lines += wrapped(
      "stint help VERB explains a verb, stint --version shows the version. Times are written "
        + "as 250ms, 30s, 3m or 1h30m.", width: width)
    return lines.joined(separator: "\n") + "\n"
  }
}
