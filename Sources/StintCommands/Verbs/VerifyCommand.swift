import StintCore
import StintRuntime

extension Verb {
  static let verify = Verb(
    showing: VerbSpecification(
      "verify", summary: "Check a job's files: every checkpoint, the journal, the result",
      usage: ["verify JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.json, OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .io])
  ) { try VerifyCommand(context: $0).run() }
}

/// `stint verify JOB`: reads every file of a job and says which are whole.
struct VerifyCommand {
  let context: VerbContext

  func run() throws -> VerbResult {
    let key = try context.key()
    let view = context.view(of: key)
    guard view.state != .foreign else {
      throw StintError(.unavailable, "\(key) belongs to another user and cannot be checked.")
    }
    let items = JobCheck(view: view, context: context).items()
    let (damaged, unread) = (items.count(.damaged), items.count(.unreadable))
    var result = VerbResult()
    result.exitStatus =
      damaged > 0 ? ExitStatus.damaged : unread > 0 ? ExitStatus.io : ExitStatus.finished
    if context.wantsJSON {
      var json = JSONLine()
      json.add("job", key)
      json.add("damaged", damaged)
      json.add("unreadable", unread)
      json.add("items", objects: items.map(\.json))
      result.output = json.line
    } else {
      result.output = items.table("FILE")
      var sums: [String] = []
      if damaged > 0 { sums.append(Self.sum(damaged, of: items.count, "damaged")) }
      if unread > 0 {
        sums.append(
          Self.sum(unread, of: items.count, "unreadable") + " It may be the disk; try again.")
      }
      result.output += (sums.isEmpty ? "\(key) is whole." : sums.joined(separator: " ")) + "\n"
    }
    return result
  }

  private static func sum(_ count: Int, of all: Int, _ what: String) -> String {
    "\(count) of \(all) checked items \(count == 1 ? "is" : "are") \(what)."
  }
}
