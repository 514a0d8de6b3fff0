#if Images
import CVips
import StintCore

/// A value of a property of an operation.
package enum VipsArgument: Sendable {
  case flag(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  /// A constant of an enumeration, by the short name that libvips gives it, such as `lanczos3`.
  case word(String)
  case image(VipsImage)
  case images([VipsImage])
  /// Where a saver writes.
  case target(VipsTarget)
  case numbers([Double])
  /// Where a loader reads.
  case source(any StreamedFile)
  /// A file in memory, which is copied.
  case file([UInt8])
  /// A file in memory, which has to live as long as what is made of it.
  case memory(PixelMemory)

  /// Puts the value into a property, converted to the property's type where both are numbers.
  func set(_ name: String, of operation: UnsafeMutablePointer<CVips.VipsOperation>)
    throws(StintError)
  {
    let type = stint_vips_property_type(operation, name)
    guard type != 0 else { throw mismatch(name) }
    var value = GValue()
    g_value_init(&value, type)
    defer { g_value_unset(&value) }
    guard fill(&value, type) else { throw mismatch(name) }
    g_object_set_property(stint_vips_operation_object(operation), name, &value)
  }

  private func mismatch(_ name: String) -> StintError {
    StintError(.checkFailed, "This libvips has no argument \(name) that takes \(self).")
  }

  private func fill(_ value: inout GValue, _ type: GType) -> Bool {
    let kind = stint_type_fundamental(type)
    switch self {
    case .flag(let flag) where kind == stint_type_boolean():
      g_value_set_boolean(&value, flag ? 1 : 0)
    case .integer(let number): return fill(&value, kind, integer: number)
    case .number(let number) where kind == stint_type_double(): g_value_set_double(&value, number)
    case .text(let text) where kind == stint_type_string(): g_value_set_string(&value, text)
    case .word(let word) where kind == stint_type_enum():
      let number = vips_enum_from_nick("stint", type, word)
      guard number >= 0 else { return false }
      g_value_set_enum(&value, number)
    case .image(let image) where kind == stint_type_object():
      g_value_set_object(&value, image.pointer)
    case .target(let target) where kind == stint_type_object():
      g_value_set_object(&value, target.pointer)
    case .source(let file) where kind == stint_type_object():
      // The value takes the only reference over.
      g_value_take_object(&value, VipsStream.source(of: file))
    case .images(let images) where stint_type_is_a(type, stint_type_array_image()) != 0:
      fill(&value, images: images)
    case .numbers(let numbers) where stint_type_is_a(type, stint_type_array_double()) != 0:
      vips_value_set_array_double(&value, numbers, Int32(numbers.count))

    case .file(let bytes) where stint_type_is_a(type, stint_type_blob()) != 0:
      // The value takes the only reference over.
      g_value_take_boxed(&value, vips_blob_copy(bytes, bytes.count))
    case .memory(let memory) where stint_type_is_a(type, stint_type_blob()) != 0:
      g_value_take_boxed(
        &value, vips_blob_new(nil, memory.buffer.baseAddress, memory.buffer.count))
    case .flag, .number, .text, .word, .image, .target, .source, .images, .numbers, .file,
      .memory:
      return false
    }
    return true
  }

  private func fill(_ value: inout GValue, _ kind: GType, integer number: Int) -> Bool {
    switch kind {
    case stint_type_int(): g_value_set_int(&value, Int32(clamping: number))
    case stint_type_uint64(): g_value_set_uint64(&value, UInt(clamping: number))
    case stint_type_double(): g_value_set_double(&value, Double(number))
    default: return false
    }
    return true
  }

  private func fill(_ value: inout GValue, images: [VipsImage]) {
    vips_value_set_array_image(&value, Int32(images.count))
    guard let slots = vips_value_get_array_image(&value, nil) else { return }
    for (index, image) in images.enumerated() {
      g_object_ref(image.pointer)
      slots[index] = image.pointer
    }
  }
}
#endif
