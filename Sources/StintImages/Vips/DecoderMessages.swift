#if Images
import CVips
import Glibc
package import StintCore
import StintRuntime

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

extension VipsImage {
  /// The same pixels; what their decoder says is heard as being about one file.
  ///
  /// The decoder is closed together with the node, unless somebody else holds this image.
  ///
  /// - Parameters:
  ///   - messages: What hears it.
  ///   - tiles: Those of a TIFF that are to be looked at when they have been decoded; nil where
  ///     libvips tells everything by itself.
  /// - Returns: A node over this image.
  /// - Throws: `io` with libvips' words.
  func heard(
    by messages: DecoderMessages, tiles: (any DecodedTiles)? = nil
  ) throws(StintError) -> VipsImage {
    try passedOn(through: DecoderHearing(self, messages, tiles))
  }

  /// Everything but the pixels, in a node that does not keep the image.
  func headerAlone() throws(StintError) -> VipsImage {
    guard let node = vips_image_new() else { throw VipsError.take("make a node") }
    let image = VipsImage(owning: node)
    var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = [pointer, nil]
    guard vips_image_pipeline_array(node, VIPS_DEMAND_STYLE_ANY, &inputs) == 0 else {
      throw VipsError.take("make a node")
    }
    // Before 8.15, libvips frees the blobs of a HEIF image with the image that was decoded (its
    // pull request 3725).
    for name in image.fieldNames {
      if let bytes = image.blob(name) { vips_image_set_blob_copy(node, name, bytes, bytes.count) }
    }
    return image
  }
}

/// The tiles of a file, of which something can be said that libvips does not say.
protocol DecodedTiles: Sendable {
  /// Whether they are JPEG, of which libvips hides the warnings; else their checksums are compared.
  var isJPEG: Bool { get }

  /// The numbers of the tiles that an area lies in.
  func tiles(columns: Range<Int>, rows: Range<Int>) -> [Int]

  /// What is wrong with a tile; nil if nothing is seen.
  func damage(of tile: Int) -> String?
}

/// Hears what the decoder of an image says, on every thread that asks for its pixels.
private final class DecoderHearing: PixelPassage, @unchecked Sendable {
  // Unchecked: the input changes at the end alone, when nobody asks for pixels any more.
  private(set) var input: VipsImage?
  private let messages: DecoderMessages
  private let tiles: (any DecodedTiles)?
  /// The tiles of Deflate that were looked at.
  private let seen = Protected<Set<Int>>([])

  init(_ input: VipsImage, _ messages: DecoderMessages, _ tiles: (any DecodedTiles)?) {
    (self.input, self.messages, self.tiles) = (input, messages, tiles)
  }

  func pass(_ area: VipsRect, _ body: () -> Bool) -> Bool {
    guard messages.hearing(.pixels, body) else { return false }
    if let tiles, messages.damage == nil { look(at: tiles, in: area) }
    guard messages.endsEvaluation else { return true }
    withVaList([]) { vips_verror("stint", DecoderMessages.ending, $0) }
    return false
  }

  private func look(at tiles: any DecodedTiles, in area: VipsRect) {
    let (columns, rows) = (Int(area.left), Int(area.top))
    let inArea = tiles.tiles(
      columns: columns..<columns + Int(area.width), rows: rows..<rows + Int(area.height))
    var wanted: [Int] = []
    if !tiles.isJPEG {
      wanted = seen.withLock { seen in inArea.filter { seen.insert($0).inserted } }
    } else if Self.mayHaveWarned {
      wanted = inArea
      // It stays there until somebody takes it, and would be looked into for each area.
      vips_error_clear()
    }
    for tile in wanted {
      if let text = tiles.damage(of: tile) { messages.addDamage(text) }
    }
  }

  /// Whether a warning of libjpeg is in libvips' error buffer, of whichever file.
  private static var mayHaveWarned: Bool { strstr(vips_error_buffer(), "VipsJpeg") != nil }

  deinit {
    // libvips tells of the warnings of libjpeg when it closes the decoder.
    messages.hearing(.pixels) { input = nil }
  }
}
#endif
