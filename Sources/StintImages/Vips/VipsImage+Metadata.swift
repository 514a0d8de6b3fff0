#if Images
import CVips
package import StintCore

/// A change of what an image carries beside its pixels.
package enum MetadataEdit: Sendable {
  /// Bytes, such as `icc-profile-data`, `exif-data` or `xmp-data`.
  case blob(String, [UInt8])
  case integer(String, Int)
  case number(String, Double)
  case text(String, String)
  /// Takes a field away; one that is not there is no error.
  case remove(String)
}

extension VipsImage {
  /// The names of everything that the image carries, its size and format included.
  package var fieldNames: [String] {
    guard let names = vips_image_get_fields(pointer) else { return [] }
    defer { g_strfreev(names) }
    var result: [String] = []
    var next = names
    while let name = next.pointee {
      result.append(String(cString: name))
      next += 1
    }
    return result
  }

  /// Whether the image carries a field of that name.
  package func has(field name: String) -> Bool {
    vips_image_get_typeof(pointer, name) != 0
  }

  /// A field of bytes, such as `icc-profile-data`; nil if the image has none of that name and type.
  package func blob(_ name: String) -> [UInt8]? {
    guard vips_image_get_typeof(pointer, name) == stint_type_blob() else { return nil }
    var (data, size): (UnsafeRawPointer?, Int) = (nil, 0)
    guard vips_image_get_blob(pointer, name, &data, &size) == 0 else {
      vips_error_clear()
      return nil
    }
    return Array(UnsafeRawBufferPointer(start: data, count: size))
  }

  /// A field that is a whole number, such as `orientation` or `n-pages`.
  package func integer(_ name: String) -> Int? {
    guard vips_image_get_typeof(pointer, name) == stint_type_int() else { return nil }
    var value: Int32 = 0
    guard vips_image_get_int(pointer, name, &value) == 0 else {
      vips_error_clear()
      return nil
    }
    return Int(value)
  }

  /// A field as text, whatever its type.
  package func text(_ name: String) -> String? {
    guard has(field: name) else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard vips_image_get_as_string(pointer, name, &text) == 0, let text else {
      vips_error_clear()
      return nil
    }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// The same pixels with other fields.
  package func editing(_ edits: [MetadataEdit]) throws(StintError) -> VipsImage {
    let copy = try applying("copy")
    for edit in edits {
      switch edit {
      case .blob(let name, let bytes):
        vips_image_set_blob_copy(copy.pointer, name, bytes, bytes.count)
      case .integer(let name, let value):
        vips_image_set_int(copy.pointer, name, Int32(clamping: value))
      case .number(let name, let value): vips_image_set_double(copy.pointer, name, value)
      case .text(let name, let value): vips_image_set_string(copy.pointer, name, value)
      case .remove(let name): vips_image_remove(copy.pointer, name)
      }
    }
    return copy
  }

  /// The same pixels and nothing besides, as if they came from memory.
  func bare() throws(StintError) -> VipsImage {
    try applying("copy", ["xres": .number(1), "yres": .number(1)])
      .editing(fieldNames.map { .remove($0) })
  }

  /// The same pixels under another colour space, not converted.
  package func relabelled(_ space: ColourSpace) throws(StintError) -> VipsImage {
    space == colourSpace
      ? self : try applying("copy", ["interpretation": .word(space.word)])
  }
}
#endif
