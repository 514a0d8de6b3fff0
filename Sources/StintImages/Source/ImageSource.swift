#if Images
package import StintCore
import StintRuntime

/// The image that a pipeline starts from: its header is read and judged, its pixels are not.
package final class ImageSource: Sendable {
  /// Which of the images of a file is meant, and how it is taken.
  package struct Selection: Hashable, Sendable {
    /// The page or frame, from 0.
    package var page: Int
    /// Whether the pixels stay as they are stored, although the file says how to turn them.
    package var keepsOrientation: Bool
    /// Whether the other pages or frames are taken as well, each as an image of its own.
    package var isOneOfAll: Bool
    /// What to do if the file is damaged.
    package var damaged: DamagePolicy

    package init(
      page: Int = 0, keepsOrientation: Bool = false, isOneOfAll: Bool = false,
      damaged: DamagePolicy = .refuse
    ) {
      self.damaged = damaged
      self.page = page
      self.keepsOrientation = keepsOrientation
      self.isOneOfAll = isOneOfAll
    }
  }

  package let file: SourceFile
  package let selection: Selection
  /// What reads it.
  package let loader: VipsLoader
  /// The reduction that is made while the file is decoded; nil for none.
  let thumbnail: Thumbnail?
  /// The pixels as they are in the file; ``storedShape`` is what is left of them by a reduction.
  let fullShape: ImageShape
  /// Everything that the file says but its pixels.
  package let header: VipsImage
  /// What its decoder says.
  let messages: DecoderMessages
  /// The pixels as they are stored.
  package let storedShape: ImageShape
  /// What decodes strips one by one, if the file is made of such.
  package let strips: StripReader?
  /// The image that was opened for its header: of one with random access always, of others until
  /// somebody reads its pixels.
  private let pixels: Protected<VipsImage?>
  private let isDamageTold = Protected(false)
  /// What the user had to trust for this file.
  let neededTrust: Set<UntrustedFormat>
  /// How many pages or frames the file has.
  package let pageCount: Int
  /// How the stored pixels are to be turned, 1 to 8 as in EXIF; 1 is upright.
  package let orientation: Int

  /// Reads the header of a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - selection: Which image of it.
  ///   - thumbnail: A reduction that is made while it is decoded.
  /// - Throws: ``StintError``: `damaged` for what is no image or a hopeless one, `usage` for a page
  ///   that is not there.
  package init(
    _ file: SourceFile, _ selection: Selection = Selection(), thumbnail: Thumbnail? = nil
  ) throws(StintError) {
    self.file = file
    self.selection = selection
    self.thumbnail = thumbnail
    loader = try VipsLoader(
      of: file.descriptorPath, contents: file.contents, shownAs: file.path.text)
    messages = DecoderMessages(selection.damaged)
    let first = try Self.open(file, loader, page: 0, selection.damaged, messages)
    // What libvips counts in JPEG 2000 is one image in several sizes.
    pageCount = loader.trustedFormat == .jp2 ? 1 : max(1, first.integer("n-pages") ?? 1)
    guard selection.page < pageCount else {
      throw StintError(
        .usage,
        "The input \(file.path) has \(pageCount) page\(pageCount == 1 ? "" : "s"), and page "
          + "\(selection.page) is asked for; the first is page 0.")
    }
    let page =
      selection.page == 0
      ? first
      : try Self.open(
        file, loader, page: selection.page, selection.damaged, messages)
    fullShape = page.shape
    let turned = page.integer("orientation") ?? 1
    orientation = (1...8).contains(turned) ? turned : 1
    let isBeyond = try SourceLimits.check(
      page, file: file, page: selection.page, format: loader.format)
    neededTrust = Set([loader.trustedFormat, isBeyond ? .size : nil].compactMap(\.self))
    if loader.trustedFormat == .ppm { try PPMCheck.check(file, holds: fullShape) }
    var opened = page
    if let thumbnail {
      opened = try Self.open(
        thumbnail, of: file, loader, selection,
        swapsSides: !selection.keepsOrientation && orientation >= 5, messages)
    }
    header = try opened.headerAlone()
    storedShape = header.shape
    // A decoder that holds all pixels would hold them as long as the header lives.
    let decodesRows = loader.access == .sequential && !Self.decodesIntoMemory(header, loader)
    let isKept = thumbnail != nil || decodesRows || loader.access == .random
    pixels = Protected(isKept ? opened : nil)
    strips =
      loader.format == "TIFF" && loader.access != .random && thumbnail == nil
      ? StripReader(
        file, page: selection.page, shape: storedShape, selection.damaged, messages) : nil
  }

  /// Whether any region can be decoded by itself, however it is cut.
  package var hasRandomAccess: Bool { loader.access == .random && thumbnail == nil }

  /// Whether the pixels have to be turned.
  package var isTurned: Bool { !selection.keepsOrientation && orientation != 1 }

  /// The pixels that the filters begin with.
  package var uprightShape: ImageShape {
    // From 5 on, rows become columns.
    isTurned && orientation >= 5 ? storedShape.turned : storedShape
  }

  /// What the user should know about the choice of the image.
  package var notices: [Notice] {
    let said = messages.notices.map {
      Notice("The header of \(file.path) is not quite as it should be: \($0)")
    }
    guard pageCount > 1, selection.page == 0, !selection.isOneOfAll else { return said }
    return said + [
      Notice(
        "\(file.path) has \(pageCount) pages or frames, and the first is taken",
        remedies: [.anotherPage])
    ]
  }

  /// Whether the decoder holds all pixels in memory at once, whatever is asked for.
  package var decodesIntoMemory: Bool { Self.decodesIntoMemory(header, loader) }

  private static func decodesIntoMemory(_ header: VipsImage, _ loader: VipsLoader) -> Bool {
    loader.access == .whole || header.integer("interlaced") == 1
      || header.integer("jpeg-multiscan") == 1 || loader.format == "WebP"
  }

  /// Opens the pixels for reading them once, from top to bottom.
  ///
  /// - Throws: ``StintError``: `damaged`, `mismatch` if the file is not what it was.
  package func openSequentially() throws(StintError) -> VipsImage {
    try file.checkUnchanged()
    if !hasRandomAccess, let unread = pixels.withLock({ $0.take() }) { return unread }
    messages.beginAgain()
    guard let thumbnail else {
      return try Self.open(file, loader, page: selection.page, selection.damaged, messages)
    }
    return try Self.open(
      thumbnail, of: file, loader, selection, swapsSides: isTurned && orientation >= 5, messages)
  }

  /// The pixels of a file with random access.
  ///
  /// - Throws: ``StintError`` with the code `mismatch` if the file is not what it was.
  func randomPixels() throws(StintError) -> VipsImage {
    try file.checkUnchanged()
    guard let pixels = pixels.withLock({ $0 }) else {
      preconditionFailure("a file with random access keeps its image")
    }
    return pixels
  }

  /// Looks for damage that shows only when all pixels are decoded and the decoder is closed.
  ///
  /// - Throws: ``StintError`` with the code `damaged` if the file is to be refused.
  func checkDecoded() throws(StintError) {
    guard selection.damaged != .accept, messages.damage == nil else { return }
    let check = DamageCheck(file: file)
    let damage =
      switch loader.format {
      case "JPEG" where messages.hasJPEGWarnings || check.jpegIsLeftOver: check.jpeg()
      case "PNG": check.png()
      // Tiles are looked at when they are decoded. A reduction may have read another page of the
      // file, which holds the image in several sizes.
      case "TIFF" where !hasRandomAccess && (thumbnail == nil || !hasSeveralSizes):
        check.pieces(ofPage: selection.page)
      case _: String?.none
      }
    guard let damage else { return }
    messages.addDamage(damage)
    if selection.damaged == .refuse { throw damaged(StintError(.damaged, damage)) }
  }

  private var hasSeveralSizes: Bool { pageCount > 1 || header.has(field: "n-subifds") }

  /// What the user is to be told of damage that was passed over; nil if there is none, if that is
  /// not wanted, or after the first time.
  func takeDamageNotice() -> Notice? {
    guard selection.damaged == .warn, let damage = messages.damage,
      isDamageTold.withLock({ isTold in
        defer { isTold = true }
        return !isTold
      })
    else { return nil }
    return Notice(
      "\(file.path) is damaged, and its pixels are taken as they are decoded: \(damage)")
  }

  /// Puts the way in which the image is to be looked at into its pixels.
  ///
  /// - Parameter image: The pixels as they are stored.
  /// - Returns: The upright image, if that was asked for.
  /// - Throws: ``StintError`` with libvips' words.
  package func upright(_ image: VipsImage) throws(StintError) -> VipsImage {
    guard isTurned else { return image }
    return try image.editing([.integer("orientation", orientation)]).applying("autorot")
  }

  /// Names the file in what its decoder says about its contents.
  package func damaged(_ error: StintError) -> StintError {
    guard error.code == .io || error.code == .damaged else { return error }
    do throws(StintError) {
      try file.checkUnchanged()
    } catch {
      return error
    }
    if error.isOfTheDevice {
      return StintError(
        .damaged, "The input \(file.path) cannot be read: \(error.message)", errno: error.errno)
    }
    let said = messages.damage.map { "\($0)." } ?? loader.ownWords(error.message)
    return loader.mayLack(said)
      ? StintError(
        .damaged,
        "The input \(file.path) cannot be decoded by this libvips (\(VipsLibrary.version)): \(said)",
        remedies: [VipsLoader.convert])
      : StintError(
        .damaged, "The input \(file.path) is damaged and cannot be decoded: \(said)",
        remedies: selection.damaged == .refuse && canGoOn(after: error) ? [.acceptDamage] : [])
  }

  /// Calls a body that decodes the file; errors name it.
  func naming<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StintError {
      throw damaged(error)
    }
  }

  /// Whether the decoder gives pixels all the same, if it is not told to refuse damage.
  private func canGoOn(after error: StintError) -> Bool {
    // What is heard or looked for here ends nothing but a refusal.
    let isHeard =
      error.message == messages.damage || error.message.contains(DecoderMessages.ending)
    switch loader.format {
    case "JPEG": return true
    case "PNG": return isHeard || header.integer("interlaced") != 1
    // A strip, tile or frame that cannot be decoded is an error of libvips whatever is asked of it.
    case "TIFF":
      let fatal = [
        "Read error", "Decoding error", DamageCheck.brokenCode, DamageCheck.wrongChecksum,
      ]
      return isHeard && !fatal.contains { messages.damage?.contains($0) ?? false }
    case _: return isHeard
    }
  }

  private static func open(
    _ thumbnail: Thumbnail, of file: SourceFile, _ loader: VipsLoader, _ selection: Selection,
    swapsSides: Bool, _ messages: DecoderMessages
  ) throws(StintError) -> VipsImage {
    do throws(StintError) {
      let opened = try messages.hearing(.header) { () throws(StintError) -> VipsImage in
        try thumbnail.open(
          loader.input(file, file.contents), page: selection.page, swapsSides: swapsSides,
          failOn: selection.damaged.failOn)
      }
      return try opened.heard(by: messages)
    } catch {
      throw StintError(
        .damaged, "The input \(file.path) cannot be reduced: \(error.message)",
        errno: error.errno)
    }
  }

  private static func open(
    _ file: SourceFile, _ loader: VipsLoader, page: Int, _ policy: DamagePolicy,
    _ messages: DecoderMessages
  ) throws(StintError) -> VipsImage {
    do throws(StintError) {
      let opened = try messages.hearing(.header) { () throws(StintError) -> VipsImage in
        try VipsImage(
          loader.input(file, file.contents), loader: loader.name,
          access: loader.access == .random ? .random : .sequential, failOn: policy.failOn,
          options: page == 0 ? [:] : ["page": .integer(page)])
      }
      let looksAtTiles =
        loader.format == "TIFF" && loader.access == .random && policy != .accept
      return try opened.heard(
        by: messages,
        tiles: looksAtTiles ? DamageCheck.Pieces(of: file, page: page, inTiles: true) : nil)
    } catch {
      throw StintError(
        .damaged,
        "The header of the input \(file.path) (\(loader.format)) cannot be read: "
          + loader.ownWords(error.message),
        remedies: loader.mayLack(error.message)
          ? [VipsLoader.convert]
          // The frames before the end are there.
          : policy == .refuse && error.message.contains("end of GIF source") ? [.acceptDamage] : [],
        errno: error.errno)
    }
  }
}
#endif
