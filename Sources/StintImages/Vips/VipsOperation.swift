#if Images
import CVips
package import StintCore

/// Calls of libvips' operations by their names.
enum VipsOperation {
  typealias Arguments = [String: VipsArgument]

  /// Whether an operation has an argument of that name.
  static func has(_ argument: String, in operation: String) -> Bool {
    guard let operation = fresh(operation) else { return false }
    defer { GraphLock.release(operation) }
    return stint_vips_property_type(operation, argument) != 0
  }

  /// Whether an operation must not run, since libvips does not hold it for safe with files from
  /// strangers.
  static func isBlocked(_ operation: String) -> Bool {
    guard let operation = fresh(operation) else { return false }
    defer { GraphLock.release(operation) }
    return vips_operation_get_flags(operation).rawValue & VIPS_OPERATION_BLOCKED.rawValue != 0
  }

  /// Runs an operation that makes an image.
  ///
  /// - Parameters:
  ///   - name: The operation's name, such as `gaussblur`.
  ///   - arguments: Its arguments by name.
  ///   - action: What the call is for, as in "libvips could not ...".
  ///   - code: The kind of error that a failure is.
  /// - Returns: A reference to the image that it puts out as `out`; the caller owns it.
  /// - Throws: An error of that kind with libvips' words.
  static func pointer(
    _ name: String, _ arguments: Arguments, _ action: String? = nil, code: StintError.Code = .io
  ) throws(StintError) -> UnsafeMutablePointer<CVips.VipsImage> {
    let operation = try build(name, arguments, action, code)
    defer { release(operation) }
    var value = GValue()
    g_value_init(&value, stint_vips_property_type(operation, "out"))
    defer { g_value_unset(&value) }
    g_object_get_property(stint_vips_operation_object(operation), "out", &value)
    guard let image = stint_vips_value_image(&value) else {
      throw StintError(.checkFailed, "The operation \(name) of libvips gave no image.")
    }
    g_object_ref(image)
    return image
  }

  /// Runs an operation that puts out nothing, such as a saver.
  static func run(_ name: String, _ arguments: Arguments, _ action: String) throws(StintError) {
    release(try build(name, arguments, action, .io))
  }

  /// An operation without arguments; nil if there is none of that name, in no module either.
  private static func fresh(_ name: String) -> UnsafeMutablePointer<CVips.VipsOperation>? {
    // The first of a class compiles the loops that all of them share.
    let make = { GraphLock.shared.hold { vips_operation_new(name) } }
    if let operation = make() { return operation }
    let again = VipsLibrary.loadsModule ? make() : nil
    vips_error_clear()
    return again
  }

  private static func build(
    _ name: String, _ arguments: Arguments, _ action: String?, _ code: StintError.Code
  ) throws(StintError) -> UnsafeMutablePointer<CVips.VipsOperation> {
    guard let fresh = fresh(name) else {
      throw StintError(
        .unavailable,
        "This libvips (\(VipsLibrary.version)) has no operation \(name); install one that has.")
    }
    do throws(StintError) {
      for (argument, value) in arguments { try value.set(argument, of: fresh) }
    } catch {
      GraphLock.release(fresh)
      throw error
    }
    var operation: UnsafeMutablePointer<CVips.VipsOperation>? = fresh
    let status =
      GraphLock.isSpared(name)
      ? vips_cache_operation_buildp(&operation)
      : GraphLock.shared.hold { vips_cache_operation_buildp(&operation) }
    guard status == 0, let built = operation else {
      if let operation { release(operation) }
      throw VipsError.take(action ?? "run \(name)", code: code)
    }
    return built
  }

  private static func release(_ operation: UnsafeMutablePointer<CVips.VipsOperation>) {
    GraphLock.shared.hold {
      vips_object_unref_outputs(stint_vips_operation_base(operation))
      g_object_unref(operation)
    }
  }
}

extension VipsImage {
  /// A further node of the graph: an operation of libvips on this image.
  ///
  /// - Parameters:
  ///   - operation: Its name, such as `gaussblur`.
  ///   - arguments: Its arguments by name, but for the input.
  ///   - input: The name of the argument that this image is.
  /// - Returns: The operation's output.
  /// - Throws: `io` with libvips' words if the operation refuses; `checkFailed` if it has no such
  ///   argument.
  package func applying(
    _ operation: String, _ arguments: [String: VipsArgument] = [:], input: String = "in"
  ) throws(StintError) -> VipsImage {
    var arguments = arguments
    arguments[input] = .image(self)
    return try VipsImage(owning: VipsOperation.pointer(operation, arguments))
  }

  /// A node without this image as input: one that makes an image, or joins several.
  package static func making(_ operation: String, _ arguments: [String: VipsArgument])
    throws(StintError) -> VipsImage
  {
    try VipsLibrary.start()
    return try VipsImage(owning: VipsOperation.pointer(operation, arguments))
  }
}

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

/// Lets one thread at a time make or drop nodes of graphs.
///
/// Several operations of libvips (convolutions, the vertical half of a reduction, morphology)
/// compile their inner loop with Orc when they are built, and free it when the last image that
/// needs it is dropped. libvips locks the compilation; Orc's list of the pieces of code that it has
/// given out is freed into without any lock (as of Orc 0.4.33, `orc_code_chunk_free`). So two
/// threads that build and drop graphs corrupt the heap sooner or later, or are given one piece of
/// code for two loops. Evaluation needs no lock.
final class GraphLock: @unchecked Sendable {
  // Unchecked: the mutex is GLib's, made for any thread, and never moves.

  /// The process has one Orc, so one lock.
  static let shared = GraphLock()

  private let mutex = UnsafeMutablePointer<GRecMutex>.allocate(capacity: 1)

  private init() {
    g_rec_mutex_init(mutex)
  }

  /// Runs a body while no other thread makes or drops a node.
  ///
  /// It may be nested: dropping an image lets go of its owner, which may hold another image.
  func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    g_rec_mutex_lock(mutex)
    defer { g_rec_mutex_unlock(mutex) }
    return try body()
  }

  /// Drops a reference.
  static func release(_ object: UnsafeMutableRawPointer) {
    shared.hold { g_object_unref(object) }
  }

  /// Whether building an operation reads a file, or evaluates an image that need not be small.
  ///
  /// Such an operation compiles nothing, and is not to hold up the other threads.
  static func isSpared(_ operation: String) -> Bool {
    operation == "hist_find" || operation.holds("load") || operation.holds("save")
  }
}
#endif
