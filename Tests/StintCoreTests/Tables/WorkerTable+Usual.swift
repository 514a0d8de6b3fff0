extension WorkerTable {
  /// Why an answer that was not asked for is taken.
  static let unasked = "no host answers unasked; the machine does not check"

  static let usual = [
    traps(.started, "a worker is started once"),
    row(.resume, "nothing", "W7", "no pause was requested"),
    traps(.delivered, "a result was delivered that was not asked for"),
    traps(.deliveryFailed, "a delivery failed that was not asked for"),
  ]
}
