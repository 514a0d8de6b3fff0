import CStint
import Glibc
import StintCore

/// The children of this process, adopted orphans included, as `/proc` lists them.
///
/// Children that serve this process itself (`CommandSpecification.isSpared`) are left out.
enum OwnChildren {
  /// How a child ended; nil while it has not.
  ///
  /// It stays unreaped.
  static func end(of child: Int32) -> CommandEnd? {
    var event = stint_child_event()
    guard stint_child_peek(child, &event) == 0 else { return nil }
    return switch Int(event.what) {
    case STINT_CHILD_EXITED: .exited(event.value)
    case STINT_CHILD_KILLED: .signalled(event.value, dumpedCore: false)
    case STINT_CHILD_DUMPED: .signalled(event.value, dumpedCore: true)
    case _: nil
    }
  }

  /// Their numbers, those that have ended and are not reaped included.
  ///
  /// Empty where `/proc` is missing or shows another namespace, whose numbers are other processes'.
  static func list() -> [Int32] {
    while true {
      let (spared, changes) = self.spared()
      let children = all()
      // One that was spared may have come or gone while the list was read.
      if self.spared().changes == changes { return children.filter { !spared.contains($0) } }
    }
  }

  /// Whether a child serves this process itself.
  static func isSpared(_ child: Int32) -> Bool { spared().children.contains(child) }

  private static func spared() -> (children: [Int32], changes: UInt64) {
    var numbers = [Int32](repeating: 0, count: Int(STINT_SPARED_MOST))
    var changes: UInt64 = 0
    let count = stint_spared_children(&numbers, &changes)
    return (Array(numbers.prefix(Int(count))), changes)
  }

  private static func all() -> [Int32] {
    guard areShown else { return [] }
    return list(of: "self") ?? listByParent()
  }

  /// The children of any process as the kernel lists them; nil if it has no such lists
  /// (CONFIG_PROC_CHILDREN).
  static func list(of process: String) -> [Int32]? {
    var children: [Int32] = []
    for thread in KernelFile.numbers(in: "/proc/\(process)/task") {
      guard let text = KernelFile.text("/proc/\(process)/task/\(thread)/children") else {
        return nil
      }
      children += text.split(separator: " ").compactMap { Int32($0) }
    }
    return children
  }

  /// Whether the children of this process can be listed: not where `/proc` is missing or shows
  /// another namespace, or no more files can be opened.
  static var canBeListed: Bool {
    areShown && !KernelFile.numbers(in: "/proc/self/task").isEmpty
  }

  /// Reaps those that have ended, for a while, and says whether any is left that lives.
  ///
  /// For a process that can list no children; the kernel tells without a list whether there are
  /// any, those that serve this process itself included.
  static func remain(after patience: Duration) -> Bool {
    let deadline = BootClock.now.advanced(by: patience)
    var event = stint_child_event()
    while spared().children.isEmpty, stint_child_peek(0, &event) == 0 {
      if Int(event.what) != STINT_CHILD_NOTHING {
        stint_child_reap(event.pid)
      } else if BootClock.now < deadline {
        poll(nil, 0, 5)
      } else {
        return true
      }
    }
    return false
  }

  /// Whether `/proc` shows this process's own namespace.
  static var areShown: Bool {
    KernelFile.link("/proc/self").map { $0.elementsEqual("\(getpid())".utf8) } ?? false
  }

  /// Every process whose status names this one as its parent.
  static func listByParent() -> [Int32] {
    let own = getpid()
    return KernelFile.numbers(in: "/proc").filter { number in
      let fields = KernelFile.statFields(KernelFile.text("/proc/\(number)/stat"))
      return fields.count > 1 && Int32(fields[1]) == own
    }
  }
}
