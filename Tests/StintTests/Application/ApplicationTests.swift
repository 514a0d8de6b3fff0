import Foundation
import Stint
import StintTesting
import Testing

@Suite("Application in virtual time")
@MainActor
struct ApplicationTests {
  /// Writes down what it is told and what it sees.
  final class Delegate: ApplicationDelegate {
    var seen: [String] = []
    var onEnter: ((Application) -> Void)?

    private func note(_ name: String, _ application: Application) {
      seen.append("\(name):\(application.applicationState)")
    }

    func applicationWillResignActive(_ application: Application) {
      note("willResignActive", application)
    }
    func applicationDidEnterBackground(_ application: Application) {
      note("didEnterBackground", application)
      onEnter?(application)
    }
    func applicationWillEnterForeground(_ application: Application) {
      note("willEnterForeground", application)
    }
    func applicationDidBecomeActive(_ application: Application) {
      note("didBecomeActive", application)
    }
    func applicationWillTerminate(_ application: Application) {
      note("willTerminate", application)
    }
  }

  /// A list that handlers of any isolation may append to.
  final class Log: Sendable {
    private let lines = Protected<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private func makeActive(
    _ policy: SystemPolicy = .iOS7
  ) -> (system: VirtualSystem, application: Application) {
    let system = VirtualSystem(policy: policy)
    let application = Application(system: system)
    system.launch()
    return (system, application)
  }

  @Test("A9 A10 the remaining time as UIKit shows it")
  func remaining() {
    let (system, application) = makeActive()
    #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
    #expect(application.remainingTime == .unlimited)
    let task = application.beginBackgroundTask {}
    system.enterBackground()
    #expect(application.applicationState == .background)
    #expect(application.backgroundTimeRemaining == 180)
    system.advance(by: .milliseconds(12_500))
    #expect(application.backgroundTimeRemaining == 167.5)
    #expect(application.remainingTime == .limited(.milliseconds(167_500)))
    application.endBackgroundTask(task)
    system.enterForeground()
    #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
  }

  @Test("A10 asked before a task is begun, the plain form says what a task would get")
  func remainingBeforeTask() {
    let (system, application) = makeActive()
    system.enterBackground()
    system.advance(by: .seconds(1))
    #expect(application.backgroundTimeRemaining == 179)
    #expect(application.remainingTime == .limited(.seconds(4)), "the rest of the grace")
    system.advance(by: .seconds(4))
    #expect(application.backgroundTimeRemaining == 0, "suspended")
  }

  @Test("A10 in didBecomeActive the time is unlimited, also if the background is entered by then")
  func remainingWhenTold() {
    let (system, application) = makeActive()
    let times = Log()
    let tokens = [
      Application.didBecomeActiveNotification, Application.willResignActiveNotification,
      Application.didEnterBackgroundNotification,
    ].map { name in
      NotificationCenter.default.addObserver(
        forName: name, object: application, queue: nil
      ) { [unowned application] _ in
        // What follows is told after this, and has happened already.
        if name == Application.didBecomeActiveNotification {
          application.enterBackground()
        }
        let isUnlimited = application.backgroundTimeRemaining == .greatestFiniteMagnitude
        times.note("\(isUnlimited) \(application.remainingTime == .unlimited)")
      }
    }
    system.enterBackground()
    system.enterForeground()
    #expect(
      times.all == [
        "true true", "false false", "true true", "true true", "false false",
      ])
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  @Test("L2 the names are UIKit's")
  func names() {
    #expect(
      [
        Application.willResignActiveNotification, Application.didEnterBackgroundNotification,
        Application.willEnterForegroundNotification, Application.didBecomeActiveNotification,
        Application.willTerminateNotification,
      ].map(\.rawValue) == [
        "UIApplicationWillResignActiveNotification", "UIApplicationDidEnterBackgroundNotification",
        "UIApplicationWillEnterForegroundNotification", "UIApplicationDidBecomeActiveNotification",
        "UIApplicationWillTerminateNotification",
      ])
  }

  @Test("A15 what stops other code after the suspension is the program's choice")
  func suspensionFollowUp() {
    let (system, application) = makeActive()
    #expect(application.suspensionFollowUp == .park)
    application.suspensionFollowUp = .stop
    let task = application.beginBackgroundTask {}
    system.enterBackground()
    application.endBackgroundTask(task)
    system.run()
    #expect(system.record.stops == 1)
  }

  @Test("A12 handlers run on the main queue, in order, in a later turn, each once")
  func handlers() {
    let (system, application) = makeActive()
    let log = Log()
    for name in ["a", "b", "c"] {
      _ = application.beginTask(named: name) { expiry in
        log.note("\(name) \(expiry.task) \(expiry.reason)")
        application.endTask(expiry.task)
      }
    }
    system.enterBackground()
    system.advance(by: .seconds(174))
    #expect(log.all.isEmpty)
    system.advance(by: .seconds(1))
    let why = ExpiryReason.timeElapsed
    #expect(log.all == ["a #1 \(why)", "b #2 \(why)", "c #3 \(why)"])
    #expect(system.driver.lifeState == .suspended)
    #expect(system.hardStop == nil)
    #expect(system.record.announcements.map(\.openTasks) == [["a", "b", "c"]])
    #expect(system.record.terminations.isEmpty)
  }

  @Test("A5 A11 a task begun inside the lead is warned after begin has returned")
  func handlerAfterBegin() {
    let (system, application) = makeActive()
    _ = application.beginBackgroundTask {}
    system.enterBackground()
    system.advance(by: .seconds(176))
    let log = Log()
    let late = application.beginBackgroundTask { log.note("called") }
    #expect(late != .invalid)
    #expect(log.all.isEmpty, "never before begin has returned")
    system.run()
    #expect(log.all == ["called"])
  }

  @Test("A5 a handler that ends another task spares that one its call")
  func sparing() {
    let (system, application) = makeActive()
    let log = Log()
    let spared = Protected(BackgroundTaskIdentifier.invalid)
    _ = application.beginTask(named: "first") { expiry in
      log.note("first")
      application.endTask(spared.withLock { $0 })
      #expect(application.endTask(expiry.task) == .handlerAlreadyStarted)
    }
    let second = application.beginTask(named: "second") { _ in log.note("second") }.identifier
    spared.withLock { $0 = second }
    system.enterBackground()
    system.advance(by: .seconds(179))
    #expect(log.all == ["first"])
    #expect(system.driver.lifeState == .suspended)
  }

  @Test("A4 A8 the typed form says why, UIKit's gives .invalid")
  func denial() {
    let (system, application) = makeActive(.harmonyOS)
    for _ in 0..<3 { _ = application.beginBackgroundTask {} }
    #expect(application.beginTask(onExpiry: { _ in }) == .denied(.tooManyTasks(maximum: 3)))
    #expect(application.beginBackgroundTask {} == .invalid)
    #expect(application.openTasks.count == 3)
    let texts = system.record.diagnostics.map { "\($0)" }
    #expect(texts.count == 1, "the form without a reason: \(texts)")
    #expect(texts.first?.contains("ApplicationTests.swift") == true)
    #expect(texts.first?.contains("was denied: 3 tasks are open, the maximum.") == true)
  }

  @Test("A2 A7 A13 diagnostics name the place")
  func places() {
    let (system, application) = makeActive()
    let task = application.beginBackgroundTask(withName: "mute", expirationHandler: nil)
    application.endBackgroundTask(task)
    application.endBackgroundTask(task)
    application.endBackgroundTask(.invalid)
    let said = system.record.diagnostics.map(\.description)
    #expect(said.count == 3)
    #expect(said.allSatisfy { $0.contains("ApplicationTests.swift") })
  }

  @Test("A19 a stuck main queue delays neither the worker's expiry nor the end")
  func stuckMain() {
    let (system, application) = makeActive()
    let log = Log()
    _ = application.beginBackgroundTask(withName: "ui") { log.note("ui") }
    _ = system.driver.begin(
      named: "worker", origin: .here(), handler: .direct { _ in log.note("worker") })
    system.enterBackground()
    #expect(system.hardStop == system.clock.now.advanced(by: .seconds(180)))
    system.isMainServed = false
    system.advance(by: .seconds(178))
    #expect(log.all == ["worker"])
    system.advance(by: .seconds(2))
    #expect(system.record.terminations == [.handlersOverran])
    #expect(
      system.record.diagnostics.contains(.mainQueueUnserved(allowance: .milliseconds(2_500))))
  }

  @Test("A17 back in the foreground, a waiting handler is dropped")
  func staleHandler() {
    let (system, application) = makeActive()
    let log = Log()
    _ = application.beginBackgroundTask { log.note("called") }
    system.enterBackground()
    system.isMainServed = false
    system.advance(by: .seconds(176))
    system.driver.enterForeground()
    system.driver.becomeActive()
    system.isMainServed = true
    system.run()
    #expect(log.all.isEmpty)
    #expect(system.hardStop == nil)
  }

  @Test("A18 a revocation and a stop reach handlers with their reasons")
  func reasons() {
    let (system, application) = makeActive()
    let log = Log()
    _ = application.beginTask(named: "t") { expiry in
      log.note("\(expiry.reason)")
      application.endTask(expiry.task)
    }
    system.enterBackground()
    system.revoke()
    system.enterForeground()
    _ = application.beginTask(named: "u") { log.note("\($0.reason)") }
    system.requestStop(.signal(15), grace: .seconds(5))
    #expect(log.all == ["\(ExpiryReason.revoked)", "\(ExpiryReason.signal(15))"])
  }

  @Test("L2 the delegate first, then the notification, each seeing the right state")
  func transitions() {
    let system = VirtualSystem()
    let application = Application(system: system)
    let delegate = Delegate()
    application.delegate = delegate
    let posted = Log()
    let names: [(Notification.Name, String)] = [
      (.applicationWillResignActive, "willResignActive"),
      (.applicationDidEnterBackground, "didEnterBackground"),
      (.applicationWillEnterForeground, "willEnterForeground"),
      (.applicationDidBecomeActive, "didBecomeActive"),
    ]
    let observers = names.map { name, text in
      NotificationCenter.default.addObserver(forName: name, object: application, queue: nil) { _ in
        posted.note("\(text):\(application.applicationState)")
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    system.launch()
    let task = application.beginBackgroundTask {}
    system.enterBackground()
    system.enterForeground()
    application.endBackgroundTask(task)
    #expect(
      delegate.seen == [
        "didBecomeActive:active", "willResignActive:active", "didEnterBackground:background",
        "willEnterForeground:background", "didBecomeActive:active",
      ])
    #expect(posted.all == delegate.seen)
    withExtendedLifetime(delegate) {}
  }

  @Test(
    "L2 while nobody serves the main queue, the state is set at once and observers are told later")
  func unservedMain() {
    let (system, application) = makeActive()
    let seen = Log()
    let names: [Notification.Name] = [
      .applicationWillResignActive, .applicationDidEnterBackground, .applicationWillEnterForeground,
      .applicationDidBecomeActive,
    ]
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: application, queue: nil) { _ in
        seen.note("\(application.applicationState)")
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    let task = application.beginBackgroundTask {}
    system.isMainServed = false
    system.enterBackground()
    #expect(application.applicationState == .background)
    system.advance(by: .milliseconds(2_499))
    #expect(system.record.diagnostics.isEmpty)
    system.advance(by: .milliseconds(1))
    #expect(system.record.diagnostics == [.mainQueueUnserved(allowance: .milliseconds(2_500))])
    system.enterForeground()
    #expect(application.applicationState == .active)
    system.advance(by: .seconds(60))
    #expect(system.record.diagnostics.count == 1, "it is said once")
    #expect(seen.all.isEmpty)
    system.isMainServed = true
    system.run()
    #expect(seen.all == ["active", "background", "background", "active"])
    application.endBackgroundTask(task)
  }

  @Test("L4 only a delegate is held to the return of didEnterBackground", arguments: [false, true])
  func judged(hasDelegate: Bool) {
    let (system, application) = makeActive()
    let delegate = Delegate()
    if hasDelegate { application.delegate = delegate }
    _ = application.beginBackgroundTask {}
    system.isMainServed = false
    system.enterBackground()
    system.advance(by: .seconds(6))
    #expect(system.record.terminations == (hasDelegate ? [.enterBackgroundOverran] : []))
    withExtendedLifetime(delegate) {}
  }

  @Test("L4 a task begun inside didEnterBackground counts, and its hard stop is armed there")
  func taskInDelegate() {
    let (system, application) = makeActive()
    let delegate = Delegate()
    application.delegate = delegate
    delegate.onEnter = { application in
      _ = application.beginBackgroundTask(withName: "save") {}
      #expect(application.backgroundTimeRemaining == 180)
    }
    system.enterBackground()
    #expect(system.hardStop != nil)
    system.advance(by: .seconds(60))
    #expect(application.openTasks.map(\.name) == ["save"])
    #expect(system.driver.lifeState == .background)
  }

  @Test("L5 suspended nothing is due any more")
  func suspended() {
    let (system, application) = makeActive()
    system.enterBackground()
    system.advance(by: .seconds(6))
    #expect(system.driver.lifeState == .suspended)
    #expect(application.beginTask(onExpiry: { _ in }) == .denied(.suspended))
    let before = system.record.diagnostics.count
    system.advance(by: .seconds(10_000))
    #expect(system.record.diagnostics.count == before)
  }

  @Test("L8 a termination that is only reported says its cause, and the application lives on")
  func reported() {
    let (system, application) = makeActive()
    _ = application.beginBackgroundTask(withName: "leak") {}
    system.enterBackground()
    system.advance(by: .seconds(180))
    #expect(system.record.terminations == [.leakedTask(name: "leak")])
    #expect(system.driver.lifeState == .suspended)
    system.enterForeground()
    #expect(application.beginBackgroundTask {} != .invalid)
  }

  @Test("R8 A23 a machine that stood still past the deadline is overrun at once")
  func stoodStill() {
    let (system, application) = makeActive()
    _ = application.beginBackgroundTask {}
    system.enterBackground()
    system.standStill(for: .seconds(200))
    #expect(system.record.terminations == [.overrun])
  }
}
