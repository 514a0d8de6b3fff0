#if Images
import CVips
package import StintCore

extension VipsImage {
  /// How the pixels of a file will be asked for.
  package enum Access: Sendable {
    /// Anywhere, any number of times. A loader that cannot decodes the whole image into memory
    /// first, and libvips may lose an error in its last rows: such a file's pixels are read
    /// sequentially.
    case random
    /// Once, from top to bottom.
    case sequential
  }

  /// Opens a file with the loader that its first bytes ask for.
  ///
  /// - Parameters:
  ///   - file: Where it is.
  ///   - loader: That loader, if it is known: it is found by opening the file once for each format.
  ///   - access: How the pixels will be asked for.
  ///   - failOn: What the loader is to fail on, in libvips' words.
  ///   - options: Arguments of the loader, such as `page`; only those that it has are set.
  /// - Throws: `damaged` if the file is no image that libvips reads, or its header is damaged.
  package convenience init(
    _ file: VipsFile, loader: String? = nil, access: Access, failOn: String = "error",
    options: [String: VipsArgument] = [:]
  ) throws(StintError) {
    try VipsLibrary.start()
    guard let loader = loader ?? file.loader else {
      throw VipsError.take("read \(file.shown)", code: .damaged)
    }
    var arguments: [String: VipsArgument] = [
      file.argument.name: file.argument.value,
      "access": .word(access == .random ? "random" : "sequential"),
      "fail-on": .word(failOn),
    ]
    for (name, value) in options where VipsOperation.has(name, in: loader) {
      arguments[name] = value
    }
    self.init(
      owning: try VipsOperation.pointer(loader, arguments, "read \(file.shown)", code: .damaged),
      over: file)
  }

  /// An image that reads a file for as long as it lives.
  convenience init(owning pointer: UnsafeMutablePointer<CVips.VipsImage>, over file: VipsFile) {
    if case .memory(let memory) = file { Self.keep(memory, for: pointer) }
    self.init(owning: pointer)
  }

  /// Keeps memory alive as long as the image and every graph over it: libvips asks nobody before it
  /// looks into it.
  private static func keep(_ owner: AnyObject, for image: UnsafeMutablePointer<CVips.VipsImage>) {
    g_object_set_data_full(
      stint_vips_image_object(image), "stint-owner", Unmanaged.passRetained(owner).toOpaque(),
      { data in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } })
  }

  /// Opens a TIFF in memory for reading it once, from top to bottom.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - failOn: What the loader is to fail on.
  /// - Throws: `damaged` with libvips' words.
  convenience init(tiff bytes: [UInt8], failOn: String) throws(StintError) {
    try VipsLibrary.start()
    try self.init(
      owning: VipsOperation.pointer(
        "tiffload_buffer",
        ["buffer": .file(bytes), "access": .word("sequential"), "fail-on": .word(failOn)],
        "read strips", code: .damaged))
  }

  /// Opens a file of plain pixels without a header, row after row, samples in the machine's order
  /// of bytes.
  ///
  /// The file is mapped a window at a time, so it may be larger than the memory.
  ///
  /// - Parameters:
  ///   - path: The file; `/proc/self/fd/N` opens a descriptor's file.
  ///   - shape: What the file holds; it must be at least so long.
  ///   - offset: Where the first row begins, in bytes.
  /// - Throws: `io` if the file cannot be opened or is too short.
  package convenience init(rawPath path: String, shape: ImageShape, offset: Int = 0)
    throws(StintError)
  {
    try VipsLibrary.start()
    let arguments: [String: VipsArgument] = [
      "filename": .text(path), "width": .integer(shape.width), "height": .integer(shape.height),
      "bands": .integer(shape.bands), "offset": .integer(offset),
      "format": .word(shape.format.word), "interpretation": .word(shape.colourSpace.word),
    ]
    try self.init(owning: VipsOperation.pointer("rawload", arguments, "map \(path)"))
  }

  /// Makes an image of pixels in memory, without a copy.
  ///
  /// - Parameters:
  ///   - pixels: Rows without gaps; they must not change as long as the owner lives.
  ///   - owner: Kept alive as long as the image and every graph over it.
  ///   - shape: What the pixels are.
  /// - Throws: `usage` if the bytes are not exactly the pixels of the shape.
  package convenience init(
    viewing pixels: UnsafeRawBufferPointer, owner: AnyObject, shape: ImageShape
  ) throws(StintError) {
    try VipsLibrary.start()
    guard pixels.count == shape.sizeBytes else {
      throw StintError(
        .usage, "\(pixels.count) bytes are not the \(shape.sizeBytes) bytes of \(shape.phrase).")
    }
    guard
      let image = vips_image_new_from_memory(
        pixels.baseAddress, pixels.count, Int32(shape.width), Int32(shape.height),
        Int32(shape.bands), shape.format.vips)
    else { throw VipsError.take("take pixels from memory") }
    image.pointee.Type = VipsInterpretation(rawValue: shape.colourSpace.rawValue)
    Self.keep(owner, for: image)
    self.init(owning: image)
  }
}

/// Pixels, or the bytes of a file, at a fixed address.
package final class PixelMemory: @unchecked Sendable {
  // Unchecked: whoever fills the buffer does so before anybody else sees it.

  package let buffer: UnsafeMutableRawBufferPointer

  /// Memory of that many bytes, all zero.
  package convenience init(sizeBytes: Int) {
    self.init(unsetBytes: sizeBytes)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Memory of that many bytes that hold anything until they are written.
  package init(unsetBytes: Int) {
    buffer = .allocate(byteCount: max(1, unsetBytes), alignment: 64)
  }

  /// A copy.
  package convenience init(_ bytes: UnsafeRawBufferPointer) {
    self.init(sizeBytes: bytes.count)
    buffer.copyMemory(from: bytes)
  }

  deinit {
    buffer.deallocate()
  }
}
#endif
