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

  /// Writes the image with a saver, such as `jpegsave`, to the file that its arguments name.
  ///
  /// - Parameters:
  ///   - saver: The operation's name.
  ///   - path: The file.
  ///   - options: Its other arguments by name.
  /// - Throws: `io` with libvips' words.
  package func save(_ saver: String, to path: String, _ options: [String: VipsArgument] = [:])
    throws(StintError)
  {
    var arguments = options
    arguments["in"] = .image(self)
    arguments["filename"] = .text(path)
    try VipsOperation.run(saver, arguments, "write \(path)")
  }
}
#endif
