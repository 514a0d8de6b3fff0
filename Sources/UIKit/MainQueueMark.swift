import Foundation

/// The main queue, which other threads than the main one serve after `dispatchMain()`: in a program
/// with an asynchronous `main`, and in tests.
enum MainQueueMark {
  private static let mark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller is on the main queue.
  static var isHere: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil
  }
}
