import Glibc
import Stint

/// What this program and the kernel have computed, from `/proc/PID/stat` (proc(5)), in clock ticks.
struct ProcessTable {
  /// The flag of a thread of the kernel (`PF_KTHREAD` in Linux).
  private static let kernelThread = 0x0020_0000

  private struct Process {
    var parent: Int
    var isKernel: Bool
    /// Its own time.
    var ticks: Double
    /// That of its children that have ended and were waited for.
    var childTicks: Double
  }

  /// This process with all that descend from it, ended ones included.
  let own: Double
  /// By the number of the thread: what writes to disks, whoever asked for it.
  let kernel: [Int: Double]

  /// Reads all processes that are there now; nil where there is no `/proc`.
  static func now() -> ProcessTable? {
    let numbers = KernelFile.numbers(in: "/proc")
    guard !numbers.isEmpty else { return nil }
    var texts: [Int: String] = [:]
    // One that has ended meanwhile cannot be read any more.
    for number in numbers { texts[Int(number)] = KernelFile.text("/proc/\(number)/stat") }
    return ProcessTable(texts, root: Int(getpid()))
  }

  /// From the texts of `/proc/PID/stat` by their processes; `root` is this program.
  init(_ texts: [Int: String], root: Int) {
    let processes = texts.compactMapValues(Self.process)
    var children: [Int: [Int]] = [:]
    for (number, process) in processes { children[process.parent, default: []].append(number) }
    var own = 0.0
    var waiting = [root]
    while let number = waiting.popLast() {
      guard let process = processes[number] else { continue }
      own += process.ticks + process.childTicks
      waiting += children[number] ?? []
    }
    self.own = own
    kernel = processes.filter(\.value.isKernel).mapValues(\.ticks)
  }

  private static func process(_ text: String) -> Process? {
    let fields = KernelFile.statFields(text)
    guard fields.count > 14, let parent = Int(fields[1]), let flags = Int(fields[6]) else {
      return nil
    }
    let times = fields[11...14].compactMap { Double($0) }
    guard times.count == 4 else { return nil }
    return Process(
      parent: parent, isKernel: flags & kernelThread != 0, ticks: times[0] + times[1],
      childTicks: times[2] + times[3])
  }

  /// What this program and the kernel's threads have computed since an earlier reading.
  func ticks(since earlier: ProcessTable) -> Double {
    let kernelTicks = kernel.reduce(0) { sum, thread in
      sum + max(0, thread.value - (earlier.kernel[thread.key] ?? 0))
    }
    return max(0, own - earlier.own) + kernelTicks
  }
}
