import StintCore
import StintRuntime

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
    let damaged = items.filter { $0.state == .damaged }.count
    var result = VerbResult()
    result.exitStatus = damaged > 0 ? ExitStatus.damaged : ExitStatus.finished
    if context.wantsJSON {
      var json = JSONLine()
      json.add("job", key)
      json.add("damaged", damaged)
      json.add("items", objects: items.map(\.json))
      result.output = json.line
    } else {
      var table = TextTable([("FILE", .left), ("STATE", .left), ("WHAT WAS FOUND", .left)])
      for item in items { table.add([item.name, item.state.rawValue, item.text]) }
      result.output = table.render()
      let sum =
        damaged == 0
        ? "\(key) is whole." : "\(damaged) of \(items.count) things that were checked are damaged."
      result.output += sum + "\n"
    }
    return result
  }
}
