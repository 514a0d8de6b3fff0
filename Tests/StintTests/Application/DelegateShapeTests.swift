import Foundation
import Testing

@testable import Stint

/// Shows that a delegate can be made by its class alone, as `main()` does.
///
/// That goes through the place that `init()` of `NSObject` has in every subclass, which is no
/// promise of the compiler. If this fails after a change of the toolchain,
/// `ApplicationResponder.make` has to be written anew.
@Suite("Delegates of every shape are made by their class")
struct DelegateShapeTests {
  class Inheriting: NSObject, ApplicationDelegate {
    var mark = ["inherited"]
  }

  class Overriding: NSObject, ApplicationDelegate {
    let mark: [String]
    override init() {
      mark = ["overridden"]
      super.init()
    }
  }

  class Deeper: Overriding {
    var more = "deeper"
    func another() -> Int { 1 }
  }

  final class Deepest: Deeper {
    override init() {
      super.init()
      more = "deepest"
    }
    convenience init(more: String) {
      self.init()
      self.more = more
    }
  }

  final class WithOthers: NSObject, ApplicationDelegate {
    let number: Int
    init(number: Int) {
      self.number = number
      super.init()
    }
    override convenience init() { self.init(number: 7) }
  }

  class Generic<Value>: NSObject, ApplicationDelegate {
    var values: [Value] = []
  }

  final class Required: ApplicationResponder, ApplicationDelegate {
    var mark = "required"
  }

  private static func made<Delegate: NSObject>(_ type: Delegate.Type) throws -> Delegate {
    let object = ApplicationResponder.make(type)
    #expect(ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type))
    return try #require(object as? Delegate)
  }

  @Test("L9 init() of the very class is called, inherited or overridden, however deep")
  func shapes() async {
    // In a process of its own: a wrong place would not fail, but crash.
    await #expect(processExitsWith: .success) { @MainActor in
      #expect(try DelegateShapeTests.made(Inheriting.self).mark == ["inherited"])
      #expect(try DelegateShapeTests.made(Overriding.self).mark == ["overridden"])
      let deeper = try DelegateShapeTests.made(Deeper.self)
      #expect(deeper.mark == ["overridden"] && deeper.more == "deeper" && deeper.another() == 1)
      #expect(try DelegateShapeTests.made(Deepest.self).more == "deepest")
      #expect(try DelegateShapeTests.made(WithOthers.self).number == 7)
      #expect(try DelegateShapeTests.made(Generic<String>.self).values.isEmpty)
      #expect(try DelegateShapeTests.made(Required.self).mark == "required")
    }
  }

  @Test("L9 an object that is made by its class is released like any other")
  func released() async {
    await #expect(processExitsWith: .success) { @MainActor in
      weak var object: AnyObject?
      do {
        let made = ApplicationResponder.make(Deepest.self)
        object = made
        #expect(object != nil)
        withExtendedLifetime(made) {}
      }
      #expect(object == nil)
    }
  }
}
