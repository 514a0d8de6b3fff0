#if Images
import CVips
import Glibc
package import StintCore

/// One of libvips' loaders, for one file.
package struct VipsLoader: Hashable, Sendable {
  /// How a loader gets at pixels.
  package enum Access: Hashable, Sendable {
    /// Any region, decoded when it is asked for.
    case random
    /// From the first row to the last.
    case sequential
    /// All of the image at once, into memory.
    case whole
  }

  /// The name of the operation, such as `VipsForeignLoadTiffFile`, or `VipsForeignLoadTiffBuffer`
  /// for a file in memory.
  package let name: String
  /// How it gets at the pixels of this file.
  package let access: Access

  /// Finds the loader that the first bytes of a file ask for.
  ///
  /// - Parameters:
  ///   - path: The file; `/proc/self/fd/N` opens a descriptor's file.
  ///   - contents: All of it, if that is held in memory; it is read there if a loader can do that.
  ///   - shownAs: What messages call it.
  /// - Throws: `damaged` if no loader that may be used reads such files; one that must not be used
  ///   is not asked to open it. `io` if the file cannot be opened.
  package init(of path: String, contents: PixelMemory?, shownAs: String) throws(StintError) {
    try VipsLibrary.start()
    let found = contents.flatMap { VipsFile.memory($0).loader } ?? VipsFile.path(path).loader
    guard let name = found, !VipsOperation.isBlocked(name) else {
      vips_error_clear()
      // A file that cannot be opened now, for want of descriptors, looks like any format.
      throw Self.refusal(of: try FileBeginning(path, shownAs: shownAs), found, shownAs)
    }
    let core = Self.core(of: name)
    self.name =
      Self.streamed.contains(String(core.dropFirst(Self.prefix.count)))
        && (!Self.readsMemory(name) || core.hasSuffix("Jpeg"))
      ? core + Self.stream : name
    // What it said while nothing was found in memory; else it may be another thread's.
    if contents != nil, !Self.readsMemory(name) { vips_error_clear() }
    let trustedFormat = UntrustedFormat(loader: name)
    // Only loaders of paths say what they can do before the file is open.
    let flags = vips_foreign_flags(core + "File", path).rawValue
    if flags & VIPS_FOREIGN_PARTIAL.rawValue != 0 {
      access = .random
    } else if flags & VIPS_FOREIGN_SEQUENTIAL.rawValue != 0 || trustedFormat == .ppm {
      // Of PPM libvips only says it once the file is open.
      access = .sequential
    } else {
      access = .whole
    }
  }

  /// The format that had to be trusted for this loader; nil for one that libvips trusts.
  package var trustedFormat: UntrustedFormat? { UntrustedFormat(loader: name) }

  /// Why a file is not read, of which no loader knows anything or one that is blocked.
  private static func refusal(
    of file: FileBeginning, _ loader: String?, _ shownAs: String
  ) -> StintError {
    if file.isBMP {
      return StintError(
        .damaged,
        "The input \(shownAs) is BMP, which only ImageMagick's decoders read, and they are not made for "
          + "files from strangers; convert it to PNG.")
    }
    // Where ImageMagick's module is loaded, it says of any file that it is its own.
    if loader?.hasPrefix("VipsForeignLoadMagick") ?? true, file.isTIFF {
      return StintError(
        .damaged,
        "The input \(shownAs) is a TIFF that ends before or in its directory, and so is damaged; copy it "
          + "again from where it is whole.")
    }
    // The loader of JPEG XL is not even there until it is trusted.
    let format = file.isJPEGXL ? .jxl : loader.flatMap(UntrustedFormat.init(loader:))
    guard let name = format?.name ?? loader.map(Self.format(of:)) else {
      return StintError(
        .damaged,
        "The input \(shownAs) is not an image in a supported format; convert it to PNG, JPEG, "
          + "TIFF or WebP.")
    }
    return StintError(
      .damaged,
      "The input \(shownAs) is \(name), which libvips reads with code that is not made for files "
        + "from strangers; convert it to PNG, JPEG, TIFF or WebP.",
      remedies: format.map { [.trust($0.rawValue)] } ?? [])
  }

  /// What people call the format, such as `JPEG`; the loader's own name if it is an unusual one.
  package var format: String { Self.format(of: name) }

  /// Whether a failure may be for want of something in this libvips, and the file be whole.
  ///
  /// - Parameter words: What libvips said.
  /// - Returns: False if the words speak of damage.
  func mayLack(_ words: String) -> Bool {
    // HEIF has many kinds of contents, and libheif says of most of them only that it cannot.
    ["nsupported", "not supported", "undefined bits per pixel"].contains(where: words.contains)
      || format == "HEIF" && !words.contains("nd of file")
  }

  /// The formats, each with the names of its loaders and what begins the words of its decoders.
  private static let formats: [(name: String, loaders: [String], domains: [String])] = [
    ("PNG", ["Png", "Spng"], ["spngload", "pngload", "vipspng"]),
    ("JPEG", ["Jpeg"], ["VipsJpeg"]),
    ("TIFF", ["Tiff"], ["tiff2vips", "tiffload"]),
    ("WebP", ["Webp"], ["webp2vips", "webpload"]),
    ("GIF", ["Nsgif", "Gif"], ["nsgifload", "gifload", "gifload_base"]),
    ("HEIF", ["Heif"], ["heifload"]),
    ("JPEG 2000", ["Jp2k"], ["jp2kload"]),
    ("JPEG XL", ["Jxl"], ["jxlload"]),
    ("PPM", ["Ppm"], ["ppmload"]),
    ("PDF", ["Pdf"], []),
    ("SVG", ["Svg"], []),
    ("libvips", ["Vips"], []),
  ]

  /// Leaves out what decoders of other formats said meanwhile: libvips has one place for the words
  /// of all threads.
  ///
  /// - Parameter words: What ``VipsError`` made of them.
  /// - Returns: The words with the beginning of the sentence, if others stood there.
  func ownWords(_ words: String) -> String {
    let foreign = Self.formats.filter { $0.name != format }.flatMap(\.domains)
    let parts = words.split(separator: "; ")
    let own = parts.filter { part in !foreign.contains { part.contains("\($0): ") } }
    guard own.count < parts.count, let first = parts.first else { return words }
    guard own.first != first else { return own.joined(separator: "; ").endingSentence }
    let begin =
      foreign.compactMap { first.firstRange(of: "\($0): ")?.lowerBound }.min() ?? first.startIndex
    let rest = own.isEmpty ? VipsError.unknown : own.joined(separator: "; ")
    return (first[..<begin] + rest).endingSentence
  }

  /// What to do then.
  static let convert: Remedy = "if another program shows it, convert it to PNG or TIFF there"

  /// Where it reads the file: in memory, if it was found for that.
  func input(_ file: any StreamedFile, _ contents: PixelMemory?) -> VipsFile {
    if Self.readsMemory(name), let contents { return .memory(contents) }
    return name.hasSuffix(Self.stream) ? .stream(file) : .path(file.descriptorPath)
  }

  /// Loaders that read their file through ``SourceFile``: those that map it otherwise, that of
  /// JPEG, of which it is to be known how far it reads, and that of PNG, whose second error after
  /// one of the device hides the first.
  private static let streamed: Set = ["Ppm", "Webp", "Nsgif", "Jpeg", "Png"]
  private static let stream = "Source"

  private static let prefix = "VipsForeignLoad"

  private static func readsMemory(_ name: String) -> Bool { name.hasSuffix("Buffer") }

  /// The name of a loader without what it reads from.
  private static func core(of name: String) -> String {
    let source = ["File", "Buffer", stream].first { name.hasSuffix($0) } ?? ""
    return String(name.dropLast(source.count))
  }

  static func format(of name: String) -> String {
    let core = core(of: name)
    let format = core.hasPrefix(prefix) ? core.dropFirst(prefix.count) : core[...]
    return formats.first { $0.loaders.contains(String(format)) }?.name ?? String(format)
  }
}

extension StintError {
  /// An input that the system does not let this process read.
  static func unread(_ path: String, _ code: Int32) -> StintError {
    StintError(
      .io, "The input \(path) cannot be read: \(String(cString: strerror(code))).", errno: code)
  }
}

extension StringProtocol {
  fileprivate var endingSentence: String { hasSuffix(".") ? String(self) : self + "." }
}

/// The first bytes of a file, for formats of which no loader here knows anything.
struct FileBeginning {
  private let bytes: [UInt8]

  /// Reads them.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - shownAs: What messages call it.
  /// - Throws: ``StintError`` with the code `io`.
  init(_ path: String, shownAs: String) throws(StintError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .unread(shownAs, errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 18)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw .unread(shownAs, errno) }
    self.init(Array(bytes.prefix(count)))
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the file is TIFF or BigTIFF, of which no loader knows anything if its directory is cut
  /// off.
  var isTIFF: Bool {
    ["II*\0", "MM\0*", "II+\0", "MM\0+"].contains { bytes.starts(with: $0.utf8) }
  }

  /// Whether the file is a bitmap of Windows or OS/2: two letters, four bytes that are zero, and
  /// the length of one of its headers.
  var isBMP: Bool {
    bytes.count >= 18 && bytes.starts(with: "BM".utf8) && bytes[6..<10].allSatisfy { $0 == 0 }
      && [12, 16, 40, 52, 56, 64, 108, 124].contains(bytes[14])
      && bytes[15..<18].allSatisfy { $0 == 0 }
  }

  /// Whether the file is JPEG XL: a bare codestream, or one in boxes (ISO/IEC 18181-2).
  var isJPEGXL: Bool {
    bytes.starts(with: [0xFF, 0x0A])
      || bytes.starts(with: [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A])
  }
}
#endif
