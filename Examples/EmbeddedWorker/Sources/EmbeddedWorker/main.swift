import Foundation
import Stint

// Half a second of background time, and the kernel sees to it: what is not saved by then is lost.
let budget = Duration.milliseconds(500)
let darts = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000_000
let computation = MonteCarloPi(darts: darts, seed: 2026)

let application = try Application(
  system: InProcessSystem(
    policy: .commandLine.withBudget(budget, lead: .milliseconds(150)), termination: .terminate))
application.launch()

var jobOptions = Job.Options()
jobOptions.jobsDirectory = ProcessInfo.processInfo.environment["STINT_JOBS"]
var options = WorkerOptions()
options.onNotice = { notice in FileHandle.standardError.write(Data("\(notice)\n".utf8)) }
// The worker is parked when its budget is used up; it would go on when the application became active again.
options.onReport = { report in
  guard report.state == .waiting else { return }
  let percent = Int(report.progress.fraction * 100)
  FileHandle.standardError.write(Data("\(percent) % is saved; run me again\n".utf8))
  exit(75)
}
options.onEnd = { outcome in exit(outcome == .finished ? 0 : 70) }

let job = try Job(of: computation, options: jobOptions)
let worker = Worker(computation, store: job, application: application, options: options)
worker.start()
application.enterBackground()
dispatchMain()
