import Foundation
import Stint

let darts = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000_000
let computation = MonteCarloPi(darts: darts, seed: 2026)

// A supervisor's time, or half a second that the kernel enforces: what is not saved is lost.
let application = try Application.adopting(orBudget: .milliseconds(500), lead: .milliseconds(150))
let worker = Worker(computation, store: try Job(of: computation), application: application)

guard try await worker.runStint() == .finished else {
  let percent = Int((worker.statusReport()?.progress.fraction ?? 0) * 100)
  FileHandle.standardError.write(Data("\(percent) % is saved; run me again\n".utf8))
  exit(75)
}
