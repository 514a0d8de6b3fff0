import UIKit

/// What the program does when it is started with a word: it goes on until somebody ends it, and
/// prints what it hears of that.
@MainActor
enum Listening {
  static let word = CommandLine.arguments.dropFirst().first

  private static var source: DispatchSourceSignal?
  private static var cycles = 0

  /// Installs a handler of the program's own, if the word asks for one here.
  static func handleSignals(_ place: String) {
    guard word == "handler-\(place)" else { return }
    signal(SIGTERM) { _ in _exit(7) }
  }

  static func begin(_ application: UIApplication) {
    if word == "dispatch" {
      signal(SIGTERM, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
      source.setEventHandler { exit(8) }
      source.resume()
      self.source = source
    }
    if word != "cycles", word != "idle" { holdTask(application) }
    say("ready")
  }

  private static func holdTask(_ application: UIApplication) {
    var task = UIBackgroundTaskIdentifier.invalid
    task = application.beginBackgroundTask {
      MainActor.assumeIsolated {
        say("expired")
        application.endBackgroundTask(task)
      }
    }
  }

  static func becameActive(_ application: UIApplication) {
    cycles += 1
    let isUnlimited = application.backgroundTimeRemaining == .greatestFiniteMagnitude
    say("active \(cycles) \(isUnlimited ? "unlimited" : "\(application.backgroundTimeRemaining)")")
    if word == "cycles", cycles == 3 { exit(0) }
  }

  static func willTerminate() {
    // Buffered, as it is where standard output is a file.
    print("willTerminate")
    if word == "stuck" { while true { pause() } }
  }

  static func say(_ words: String) {
    print(words)
    fflush(nil)
  }
}
