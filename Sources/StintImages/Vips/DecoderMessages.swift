#if Images
import CVips
import Glibc
import StintRuntime
package import StintCore

/// What to do with a file whose decoder says that its pixels are damaged.
package enum DamagePolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing is made of it.
  case refuse
  /// What the decoder gives is taken, and a notice says so.
  case warn
  /// What the decoder gives is taken.
  case accept

  /// Reads a word of the command line; nil stands for ``refuse``.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a word that names none.
  package init(word: String?) throws(StintError) {
    guard let word else {
      self = .refuse
      return
    }
    guard let policy = Self(rawValue: word.lowercased()) else {
      throw StintError(
        .usage,
        "\"\(word.prefix(60))\" is nothing to do with a damaged file; write "
          + "\(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    self = policy
  }

  /// What libvips' loaders are to fail on.
  ///
  /// Not on warnings: those are heard here, file by file, since some of them are harmless.
  var failOn: String { self == .refuse ? "error" : "none" }

  /// The word in a job's parameters; nil for the usual policy.
  var stored: String? { self == .refuse ? nil : rawValue }
}

/// The messages of the decoders of one file.
///
/// libvips and libtiff give warnings to handlers of the whole process, on the thread that decodes.
/// So whoever decodes says first, on that thread, for which file. A message that is given while the
/// header is read is a notice. One that is given while pixels are decoded says that they are wrong,
/// unless it is known to be harmless.
final class DecoderMessages: Sendable {
  /// What is being read.
  enum Part: Sendable {
    case header
    case pixels
  }

  private struct State {
    var notices: [String] = []
    var damage: [String] = []
    /// Whether libvips counted warnings of libjpeg, which it does not tell apart.
    var hasJPEGWarnings = false
  }

  private let state = Protected(State())
  /// Whether a file that is damaged is refused.
  private let policy: DamagePolicy

  init(_ policy: DamagePolicy) { self.policy = policy }

  /// The words of an evaluation that ends because of what was said, and not by itself.
  static let ending = "the file is damaged"

  /// What was said about the header, a sentence each.
  var notices: [String] { state.withLock { $0.notices } }

  /// The first message that tells of damage; nil if there is none.
  var damage: String? { state.withLock { $0.damage.first } }

  /// Whether the evaluation is to end because of what was said.
  var endsEvaluation: Bool { policy == .refuse && damage != nil }

  /// Whether libjpeg has given warnings, some of which are harmless.
  ///
  /// It is known once the decoder is closed.
  var hasJPEGWarnings: Bool { state.withLock { $0.hasJPEGWarnings } }

  /// Forgets what was said of pixels, since they are decoded anew: what made the decoder fail may
  /// have been a device.
  func beginAgain() {
    state.withLock { ($0.damage, $0.hasJPEGWarnings) = ([], false) }
  }

  /// Takes a message that tells of damage.
  func addDamage(_ text: String) { add(text, .pixels) }

  // MARK: Hearing

  /// Runs a body; what decoders say on this thread meanwhile is about this file.
  func hearing<Result, Failure: Error>(
    _ part: Part, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let listener = Listener(self, part)
    return try withExtendedLifetime(listener) { () throws(Failure) in
      let outer = pthread_getspecific(Self.key)
      pthread_setspecific(Self.key, Unmanaged.passUnretained(listener).toOpaque())
      defer { pthread_setspecific(Self.key, outer) }
      return try body()
    }
  }

  private final class Listener {
    let messages: DecoderMessages
    let part: Part
    /// Whether the next message is libvips' error buffer, which holds words about any file.
    var skipsNext = false

    init(_ messages: DecoderMessages, _ part: Part) {
      (self.messages, self.part) = (messages, part)
    }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "a process has room for one more key")
    return key
  }()

  /// Has libvips and libtiff tell their messages here; called once, when libvips has started.
  static func listen() {
    g_log_set_handler(
      "VIPS", G_LOG_LEVEL_WARNING,
      { _, _, text, _ in
        if let text { DecoderMessages.hear(String(cString: text)) }
      }, nil)
    // Of errors libvips hears too, but it does not fail where libtiff goes on: a damaged row of a
    // fax is such an error.
    _ = TIFFSetErrorHandlerExt { _, _, format, arguments in
      guard let format, let arguments else { return }
      let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        vsnprintf(buffer.baseAddress, buffer.count, format, arguments)
        return buffer.baseAddress.map { String(cString: $0) } ?? ""
      }
      DecoderMessages.hear(text)
    }
  }

  private static func hear(_ text: String) {
    guard let pointer = pthread_getspecific(key) else { return }
    let listener = Unmanaged<Listener>.fromOpaque(pointer).takeUnretainedValue()
    if listener.skipsNext {
      listener.skipsNext = false
    } else if text.hasPrefix("read gave ") {
      // What libvips says when it closes a JPEG.
      listener.skipsNext = true
      if listener.part == .pixels { listener.messages.state.withLock { $0.hasJPEGWarnings = true } }
    } else {
      listener.messages.add(text, listener.part)
    }
  }

  /// A damaged file may have a message for each of its rows.
  private static let (mostMessages, mostCharacters) = (3, 200)

  private func add(_ text: String, _ part: Part) {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    let text = String(line.prefix(Self.mostCharacters))
    state.withLock { state in
      // A loader reads the header again before the first pixels.
      guard !Self.harmless.contains(where: text.contains), !state.notices.contains(text) else {
        return
      }
      let list = part == .header ? \State.notices : \State.damage
      guard state[keyPath: list].count < Self.mostMessages,
        !state[keyPath: list].contains(text)
      else { return }
      state[keyPath: list].append(text)
    }
  }

  /// Parts of messages that honest files give, and that are no use to anybody.
  private static let harmless = [
    // libtiff: a field of another program.
    "Unknown field with tag",
    // libvips: another way to name the colour space.
    "heifload: ignoring nclx profile",
    // libpng: bytes behind the last row.
    "Extra compressed data", "Too much image data",
    // libvips: it follows the message that says why.
    "error in tile ",
  ]
}
#endif
