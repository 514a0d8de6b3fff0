import Foundation
import StintCore
import Testing

/// An engine in virtual time with the limits of Slurm: what an array of chains asks of it.
private struct SimulatedSlurm {
  /// What is given.
  struct Terms {
    var lines: Int
    var atOnce: Int
    /// The slices of each chain.
    var links: Int
    /// The tasks of its array: one more judges the last slice.
    var tasks: Int { links + 1 }
    /// How many tasks a user may have in the queue.
    var maxSubmitJobs = 5_000
    /// Slurm's largest number of a task, plus one.
    var maxArraySize = 1_001
    var sliceSeconds = 1_800.0
  }

  /// What came of it.
  struct Result {
    var mostTasks = 0
    var mostChains = 0
    var sbatchCalls = 0
    var refusals = 0
    var squeueCalls = 0
    var seconds = 0.0
    var busySeconds = 0.0
    var ends: [ChainMachine.Ending: Int] = [:]
    var runs: [Int]
  }

  private struct Chain {
    var rest: Double
    var link = 0
    var machine: ChainMachine
  }

  /// The time between two slices, and between two questions of a slice to `squeue`.
  private static let gap = 1.2
  private static let question = 30.0
  /// One slice in so many loses its node, and all that it did.
  private static let nodeLoss = 997

  private let terms: Terms
  private var array: ChainArrayMachine
  private var chains: [Int: Chain] = [:]
  private var queue: [(time: Double, line: Int)] = []
  private var slices = 0
  private var result: Result

  init(_ terms: Terms) {
    self.terms = terms
    array = ChainArrayMachine(count: terms.lines, atOnce: terms.atOnce)
    result = Result(runs: [Int](repeating: 0, count: terms.lines + 1))
  }

  /// 10 to 70 minutes.
  private func work(of line: Int) -> Double { 600 + Double((line &* 7_919) % 3_600) }

  /// The tasks that Slurm counts: of each chain those that have not ended.
  private var tasks = 0

  mutating func run() -> Result {
    precondition(terms.tasks < terms.maxArraySize)
    feed(at: 0)
    var now = 0.0
    while let event = pop() {
      now = event.time
      endSlice(of: event.line, at: now)
    }
    result.seconds = now
    result.ends = array.ends
    return result
  }

  private mutating func endSlice(of line: Int, at now: Double) {
    guard var chain = chains[line] else { return }
    slices += 1
    let ran = min(chain.rest, terms.sliceSeconds)
    result.busySeconds += ran
    result.squeueCalls += 1 + Int(ran / Self.question)
    let isLost = slices % Self.nodeLoss == 0
    if !isLost { chain.rest -= ran }
    let end: ChainMachine.LinkEnd =
      isLost ? .died(isExcused: true) : chain.rest <= 0 ? .finished : .unfinished
    let next = chain.machine.linkEnded(end, number: chain.link, madeProgress: !isLost)
    guard case .ended(let ending) = next else {
      chains[line] = chain
      return begin(line, at: now + Self.gap)
    }
    result.runs[line] += 1
    // All tasks but one are cancelled before the next chain is handed over.
    chains[line] = nil
    tasks -= terms.tasks - (chain.link - 1)
    array.lineEnded(line, ending)
    result.squeueCalls += array.active.isEmpty ? 0 : 1
    feed(at: now, kept: min(2, terms.tasks - chain.link + 1))
  }

  /// Hands over chains as a slice does that ends, while its own last tasks still count.
  private mutating func feed(at now: Double, kept: Int = 0) {
    while case .handOver(let line) = array.next {
      array.began()
      result.sbatchCalls += 1
      guard tasks + kept + terms.tasks <= terms.maxSubmitJobs else {
        result.refusals += 1
        return array.ended(handingOver: line, .refused)
      }
      array.ended(handingOver: line, .taken)
      tasks += terms.tasks
      chains[line] = Chain(rest: work(of: line), machine: ChainMachine(links: terms.links))
      result.mostTasks = max(result.mostTasks, tasks + kept)
      result.mostChains = max(result.mostChains, chains.count)
      begin(line, at: now + Self.gap)
    }
  }

  private mutating func begin(_ line: Int, at time: Double) {
    chains[line]?.link += 1
    if chains[line]?.link ?? 0 > 1 { tasks -= 1 }
    let ran = min(chains[line]?.rest ?? 0, terms.sliceSeconds)
    push((time + ran, line))
  }

  // MARK: The queue of events, a heap

  private mutating func push(_ event: (time: Double, line: Int)) {
    queue.append(event)
    var child = queue.count - 1
    while child > 0, queue[child].time < queue[(child - 1) / 2].time {
      queue.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func pop() -> (time: Double, line: Int)? {
    guard let first = queue.first else { return nil }
    let last = queue.removeLast()
    guard !queue.isEmpty else { return first }
    queue[0] = last
    var parent = 0
    while true {
      let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < queue.count }
      guard let least = children.min(by: { queue[$0].time < queue[$1].time }),
        queue[least].time < queue[parent].time
      else { return first }
      queue.swapAt(parent, least)
      parent = least
    }
  }
}

@Suite("Array of chains in a simulated Slurm")
struct ChainArraySimulationTests {
  private static let cases: [SimulatedSlurm.Terms] = [
    .init(lines: 200, atOnce: 8, links: 50), .init(lines: 1_000, atOnce: 20, links: 50),
    .init(lines: 10_000, atOnce: 100, links: 50), .init(lines: 10_000, atOnce: 100, links: 10),
    .init(lines: 100_000, atOnce: 200, links: 10), .init(lines: 100_000, atOnce: 500, links: 50),
    .init(lines: 100_000, atOnce: 500, links: 8),
  ]

  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// The rows of the table of docs/slurm.md; each checks what must hold.
  private static func table() -> String {
    var lines = [
      "| lines | `--at-once` | `--links` | chains at once | tasks in the queue | `sbatch` a minute | "
        + "`squeue` a minute | refused | slots in use |",
      "|---|---|---|---|---|---|---|---|---|",
    ]
    for terms in cases {
      var slurm = SimulatedSlurm(terms)
      let result = slurm.run()
      #expect(result.mostChains <= terms.atOnce && result.mostTasks <= terms.maxSubmitJobs)
      #expect(result.runs.dropFirst().allSatisfy { $0 == 1 }, "a line ended twice, or never")
      #expect(result.ends == [.finished: terms.lines])
      let minutes = result.seconds / 60
      func perMinute(_ count: Int) -> String { String(format: "%.1f", Double(count) / minutes) }
      let share = result.busySeconds / result.seconds / Double(result.mostChains)
      lines.append(
        "| \(grouped(terms.lines)) | \(terms.atOnce) | \(terms.links) | \(result.mostChains) | "
          + "\(grouped(result.mostTasks)) | \(perMinute(result.sbatchCalls)) | "
          + "\(perMinute(result.squeueCalls)) | \(grouped(result.refusals)) | "
          + String(format: "%.1f %% |", 100 * share))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(
    "E8 up to 100,000 lines: each chain ends once, no limit is passed, and docs/slurm.md tells the cost"
  )
  func page() throws {
    let machines = try #require(TableDocument.folder("docs/machines"))
    let path = machines.deletingLastPathComponent().appending(path: "slurm.md")
    let table = Self.table()
    var page = try String(contentsOf: path, encoding: .utf8)
    let begin = "<!-- table -->\n"
    let start = try #require(page.range(of: begin)).upperBound
    let rest = page[start...]
    let end = rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex
    if TableDocument.isWriting {
      page.replaceSubrange(start..<end, with: "\n" + table.dropLast())
      try page.write(to: path, atomically: true, encoding: .utf8)
    }
    #expect(page.contains(table), "\(table)")
  }
}
