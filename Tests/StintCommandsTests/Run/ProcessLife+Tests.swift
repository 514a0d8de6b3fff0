import StintCore

@testable import StintCommands

extension ProcessLife.Rules {
  /// The same for a process that only plays one: the kernel ends nothing.
  func withoutKernel() -> Self {
    var rules = self
    rules.setHardStop = { _ in }
    return rules
  }
}
