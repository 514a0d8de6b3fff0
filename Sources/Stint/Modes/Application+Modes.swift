public import StintCore

extension Application {
  /// Declares that this program may use a background mode, and why (B5).
  ///
  /// To be called before the mode is used; a second declaration of a mode replaces the first.
  ///
  /// - Parameters:
  ///   - mode: The mode; any name is one.
  ///   - reason: What the program does with it, in words that a person understands.
  /// - Throws: ``StintError`` with the code `usage` if the name or the reason is empty.
  public nonisolated func declareMode(
    _ mode: BackgroundMode, because reason: String
  ) throws(StintError) {
    guard mode.rawValue.contains(where: { !$0.isWhitespace }) else {
      throw StintError(.usage, "A background mode was declared without a name; give it one.")
    }
    guard reason.contains(where: { !$0.isWhitespace }) else {
      throw StintError(
        .usage,
        "The background mode \"\(mode)\" was declared without a reason; say what it is used for.")
    }
    driver.declareMode(mode, because: reason)
  }

  /// The modes that this program has declared, each with its reason; any thread may ask.
  public nonisolated var declaredModes: [BackgroundMode: String] { driver.declaredModes }

  /// The modes that are in use, each once for each use; any thread may ask.
  public nonisolated var modesInUse: [BackgroundMode] { driver.modesInUse.map(\.mode) }

  /// What the system allows to those who use a mode; any thread may ask.
  ///
  /// - Parameter mode: The mode.
  /// - Returns: Whether it is permitted, and how accurate its values are at best.
  public nonisolated func conditions(of mode: BackgroundMode) -> ModeConditions {
    driver.conditions(of: mode)
  }

  /// Uses a declared mode until the use is ended: in the background the application is not
  /// suspended, and its time has no end (B5).
  ///
  /// When the last use ends in the background, the time of a trip begins, as after entering. Any
  /// thread may call this.
  ///
  /// - Parameter mode: The mode.
  /// - Returns: The use; it ends with ``ModeUse/end()``, or when it goes away.
  /// - Throws: ``StintError`` with the code `unavailable` and the reason: the mode is not declared
  ///   or not permitted, the application is suspended, does not run or was asked to stop, or its
  ///   time has a limit of its own, which no mode lifts.
  public nonisolated func useMode(_ mode: BackgroundMode) throws(StintError) -> ModeUse {
    switch driver.beginMode(mode) {
    case .success(let number):
      return ModeUse(mode, number: number, driver: driver)
    case .failure(let reason):
      throw StintError(.unavailable, "The background mode \"\(mode)\" is refused: \(reason).")
    }
  }
}
