public import Foundation
import StintCore

extension ApplicationDelegate where Self: NSObject {
  /// Runs a program with a delegate of this type, as `@main` does on iOS (L9).
  ///
  /// It makes the delegate, launches ``Application/shared``, and serves the main queue and the main
  /// run loop until the process ends.
  ///
  /// SIGTERM is a stop then, as it is where a supervisor asks for one: the expiration handlers are
  /// called, and `applicationWillTerminate`. When all tasks are ended the process dies of the
  /// signal, after 5 s in any case, and at once of a second one (W11). A program that handles or
  /// ignores SIGTERM itself keeps that.
  ///
  /// Its requests and its fetch interval outlive the process: the next one goes on with them, and
  /// `stint serve` or `stint wake` launches the program for them
  /// (``Application/keepsRequests``).
  public static func main() {
    Application.run(Self.self)
  }
}

extension Application {
  /// Runs a program with a delegate of a type.
  ///
  /// - Parameter type: The delegate's class, which has to be made by `init()`.
  package static func run(_ type: NSObject.Type) -> Never {
    let delegate = ApplicationResponder.make(type)
    guard let delegate = delegate as? any ApplicationDelegate else {
      preconditionFailure("\(type) is no ApplicationDelegate.")
    }
    shared.delegate = delegate
    // The application holds it weakly.
    return withExtendedLifetime(delegate) {
      // Before the launch, in which the program may install handlers of its own.
      ProgramEnd.follow(shared.driver)
      shared.keepRequests()
      shared.launch()
      shared.goOnWithRequests()
      // Not dispatchMain(), after which no timer of a run loop fires.
      while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }
  }
}

/// The superclass of delegates and other objects that are made by their class alone.
open class ApplicationResponder: NSObject {
  /// Creates an object.
  public required override init() {
    super.init()
  }

  /// Makes an object of a class that inherits `init()` from `NSObject`, or overrides it.
  ///
  /// Swift makes an object of a class that is known only at run time by a `required` initializer
  /// alone, and that of `NSObject` is not; Objective-C made delegates so. This class requires it,
  /// and has it in the place where every subclass of `NSObject` has its own. The class is open, so
  /// that the compiler has to look there.
  static func make(_ type: NSObject.Type) -> AnyObject {
    unsafeBitCast(type, to: ApplicationResponder.Type.self).init()
  }
}
