extension WorkerTable {
  static let usual = [
    traps(.started, "a worker is started once"),
    row(.resume, "nothing", "W7", "no pause was requested"),
    traps(.delivered, "a result was delivered that was not asked for"),
    traps(.deliveryFailed, "a delivery failed that was not asked for"),
  ]
}
