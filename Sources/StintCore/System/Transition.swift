/// A step in the application's life that its delegate and its observers are told of (L2, L9).
public enum Transition: String, Hashable, Sendable, CaseIterable {
  /// About to be launched; the state seen inside is inactive, or background if the launch is for an
  /// event (L7).
  case willFinishLaunching
  /// Launched; the state seen inside is the same.
  case didFinishLaunching
  /// About to leave the active state; the state seen inside is active.
  case willResignActive
  /// The background was entered; the state seen inside is background.
  case didEnterBackground
  /// About to leave the background; the state seen inside is background.
  case willEnterForeground
  /// The application is active; the state seen inside is active.
  case didBecomeActive
  /// The application is about to be ended in order.
  case willTerminate
  /// Memory is short; the state does not change (L10).
  case didReceiveMemoryWarning
}
