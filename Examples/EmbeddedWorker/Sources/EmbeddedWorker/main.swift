import Foundation
import Stint

let darts = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000_000
let computation = MonteCarloPi(darts: darts, seed: 2026)

func leave(_ sentence: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  exit(status)
}

do {
  // A supervisor's time, or half a second that the kernel enforces: what is not saved is lost.
  let application = try Application.adopting(orBudget: .milliseconds(500), lead: .milliseconds(150))
  // SIGTERM, as the stop of a container: save and end within five seconds.
  try application.stopOnSignals([.terminate], grace: .seconds(5))
  let worker = Worker(computation, store: try Job(of: computation), application: application)
  let result = try await worker.runStint()
  guard result == .finished else {
    let percent = Int((worker.statusReport()?.progress.fraction ?? 0) * 100)
    let why = if case .stopped(let reason) = result { " (\(reason))" } else { "" }
    leave("\(percent) % is saved\(why); run me again", 75)
  }
} catch {
  leave("EmbeddedWorker: \(error)", 70)
}
