import Foundation
import Glibc
import Stint
import StintCore
import Testing

/// Programs that `main()` of a delegate runs have no code that ends them.
///
/// Each test is a process of its own; its main queue is served as theirs is.
@Suite("The end of a program of a delegate", .timeLimit(.minutes(5)))
struct ProgramEndTests {
  /// Writes down what it hears, in a file that outlives the process.
  @MainActor
  final class Delegate: NSObject, ApplicationDelegate {
    /// Nobody else holds them.
    private static var kept: (Application, Delegate)?

    let path: String
    let isStuck: Bool

    init(path: String, isStuck: Bool = false) {
      self.path = path
      self.isStuck = isStuck
    }

    nonisolated func note(_ words: String) {
      let line = Array((words + "\n").utf8)
      let file = open(path + "/heard", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      _ = write(file, line, line.count)
      close(file)
    }

    func applicationWillTerminate(_ application: Application) {
      note("willTerminate")
      if isStuck { while true { sleep(1) } }
    }

    /// An application in the background with a task, whose program ends as one of `main()` does.
    static func launch(
      path: String, isStuck: Bool = false, beforeLaunch: (Application) throws -> Void = { _ in }
    ) throws -> Application {
      var hooks = InProcessSystem.Hooks()
      hooks.diagnose = { _ in }
      let application = Application(
        system: try InProcessSystem(policy: .iOS13, hooks: hooks))
      let delegate = Delegate(path: path, isStuck: isStuck)
      application.delegate = delegate
      ProgramEnd.follow(application.driver)
      try beforeLaunch(application)
      application.launch()
      application.enterBackground()
      _ = application.beginTask(named: "work") { [application] expiry in
        delegate.note("expired \(expiry.reason)")
        application.endTask(expiry.task)
      }
      kept = (application, delegate)
      return application
    }
  }

  private static func wait() async -> Never {
    while true { try? await Task.sleep(for: .seconds(1)) }
  }

  @Test(
    "W11 SIGTERM is heard by the handlers and applicationWillTerminate, and the program dies of it")
  func terminated() async {
    let folder = WorkFolder()
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = folder.path as String] in
      _ = try await Delegate.launch(path: path)
      kill(getpid(), SIGTERM)
      await ProgramEndTests.wait()
    }
    #expect(folder.text("heard") == "willTerminate\nexpired \(ExpiryReason.signal(SIGTERM))\n")
  }

  @Test("W11 a stop that came in words ends it as the signal that asked for it does")
  func stopped() async {
    for (number, end) in [(SIGINT, SIGINT), (SIGCHLD, SIGTERM)] {
      let folder = WorkFolder()
      await #expect(processExitsWith: .signal(end)) {
        [path = folder.path as String, number = number as Int32] in
        let application = try await Delegate.launch(path: path)
        application.driver.requestStop(reason: .signal(number), grace: .seconds(60))
        await ProgramEndTests.wait()
      }
      #expect(folder.text("heard")?.hasPrefix("willTerminate\nexpired ") ?? false)
    }
  }

  @Test("W11 A19 a main queue that is stuck in applicationWillTerminate has the grace and no more")
  func stuck() async {
    let folder = WorkFolder()
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = folder.path as String] in
      let application = try await Delegate.launch(path: path, isStuck: true)
      application.driver.requestStop(reason: .stopRequested, grace: .milliseconds(300))
      await ProgramEndTests.wait()
    }
    #expect(folder.text("heard") == "willTerminate\n")
  }

  @Test("W11 L6 suspended, it hears nothing and ends at once")
  func suspended() async {
    let folder = WorkFolder()
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = folder.path as String] in
      let application = try await Delegate.launch(path: path)
      let open = application.openTasks.map(\.identifier)
      for task in open { application.endBackgroundTask(task) }
      await eventually { application.driver.lifeState == .suspended }
      kill(getpid(), SIGTERM)
      await ProgramEndTests.wait()
    }
    #expect(folder.text("heard") == nil)
  }

  @Test("W11 a handler of the program's own is left alone, and called after a stop in words")
  func ownHandler() async {
    for isInWords in [false, true] {
      let folder = WorkFolder()
      await #expect(processExitsWith: .exitCode(7)) {
        [path = folder.path as String, isInWords = isInWords as Bool] in
        let application = try await Delegate.launch(path: path)
        signal(SIGTERM) { _ in _exit(7) }
        if isInWords {
          application.driver.requestStop(reason: .signal(SIGTERM), grace: .seconds(60))
        } else {
          kill(getpid(), SIGTERM)
        }
        await ProgramEndTests.wait()
      }
      #expect((folder.text("heard") != nil) == isInWords)
    }
  }

  @Test("W11 a child that was forked off and became no other program dies of the signal alone")
  func forked() async {
    let folder = WorkFolder()
    await #expect(processExitsWith: .exitCode(0)) { [path = folder.path as String] in
      _ = try await Delegate.launch(path: path)
      typealias Fork = @convention(c) () -> pid_t
      // Swift declares no fork().
      guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { exit(3) }
      let child = unsafeBitCast(symbol, to: Fork.self)()
      if child == 0 {
        // Threads of Dispatch block nearly all signals, and its only thread was one of them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_UNBLOCK, &all, nil)
        while true { pause() }
      }
      kill(child, SIGTERM)
      var status: Int32 = 0
      guard waitpid(child, &status, 0) == child else { exit(4) }
      exit(status & 0x7f == SIGTERM ? 0 : 5)
    }
    #expect(folder.text("heard") == nil)
  }

  @Test("W11 a program that has called stopOnSignals ends by itself, with its own status")
  func ownEnd() async {
    let folder = WorkFolder()
    await #expect(processExitsWith: .exitCode(75)) { [path = folder.path as String] in
      let application = try await Delegate.launch(path: path) { application in
        try application.stopOnSignals([.terminate], grace: .seconds(60))
      }
      kill(getpid(), SIGTERM)
      await eventually { application.openTasks.isEmpty }
      try await Task.sleep(for: .milliseconds(100))
      exit(75)
    }
    #expect(folder.text("heard")?.hasPrefix("willTerminate\n") ?? false)
  }
}
