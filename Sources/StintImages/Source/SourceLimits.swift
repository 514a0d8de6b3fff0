#if Images
import StintCore

/// What a header may say before anything is allocated for it.
enum SourceLimits {
  /// Any file may decode to this many bytes of pixels.
  static let harmlessBytes = 1 << 30
  /// Deflate, the densest of the usual codings, makes at most 1,032 bytes of one.
  static let mostBytesPerByte = 2_064

  /// Refuses what cannot be an honest image, with the figures.
  ///
  /// - Throws: ``StintError``: `damaged`, or `unavailable` for pixels of a kind that no filter
  ///   knows.
  static func check(_ image: VipsImage, file: SourceFile, format: String) throws(StintError) {
    let (width, height) = (image.width, image.height)
    guard width > 0, height > 0, image.bands > 0 else {
      throw StintError(
        .damaged,
        "The input \(file.path) declares \(width) x \(height) pixels; an image has at least one.")
    }
    guard image.isPlain else {
      throw StintError(
        .unavailable,
        "The input \(file.path) holds packed pixels (Radiance or LABQ), which no filter takes; convert "
          + "it to TIFF with floating-point samples.")
    }
    let (samples, tooMany) = width.multipliedReportingOverflow(by: height)
    let (bytes, overflow) = samples.multipliedReportingOverflow(
      by: image.bands * image.format.sizeBytes)
    guard !tooMany, !overflow, isPlausible(bytes, fileBytes: file.identity.sizeBytes) else {
      throw StintError(
        .damaged,
        "The input \(file.path) (\(format)) declares \(width) x \(height) pixels in a file of "
          + "\(file.identity.sizeBytes) bytes, which cannot hold them; it is damaged, or made to "
          + "exhaust this machine.")
    }
  }

  static func isPlausible(_ bytes: Int, fileBytes: Int) -> Bool {
    bytes <= harmlessBytes || bytes / max(1, fileBytes) <= mostBytesPerByte
  }
}
#endif
