extension Application {
  /// Why an application was launched; no launch of this system has options.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The key as a word.
    public var rawValue: String

    /// Creates a key.
    ///
    /// - Parameter rawValue: The key as a word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A URL to be opened.
    public static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
    /// Who asked for that.
    public static let sourceApplication = Self(
      rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
    /// A push notification.
    public static let remoteNotification = Self(
      rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
    /// Another place.
    public static let location = Self(rawValue: "UIApplicationLaunchOptionsLocationKey")
    /// Peripherals that had been looked for.
    public static let bluetoothCentrals = Self(
      rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
  }
}
