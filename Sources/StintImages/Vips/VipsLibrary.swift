#if Images
import CVips
import Glibc
package import StintCore
import StintRuntime

/// The library libvips, as this process uses it.
package enum VipsLibrary {
  /// Its version, such as `8.14.1`.
  package static var version: String {
    "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))"
  }

  /// Starts the library; every later call only sets the number of threads.
  ///
  /// Loaders that libvips marks as untrusted are blocked, and the cache of operations is off: it
  /// would keep images of earlier bands alive, and every graph here is built once.
  ///
  /// - Parameter threads: How many threads evaluate an image; nil leaves the number as it is.
  /// - Throws: `unavailable` if the library does not start.
  package static func start(threads: Int? = nil) throws(StintError) {
    try started.get()
    if let threads { vips_concurrency_set(Int32(clamping: max(1, threads))) }
  }

  /// How many threads evaluate an image.
  package static var threads: Int { Int(vips_concurrency_get()) }

  /// What computes pixels here, in words: another version, or other instructions of the processor,
  /// may round differently.
  package static var engine: String {
    "libvips \(version) \(vips_vector_isenabled() != 0 ? "with" : "without") vector instructions"
  }

  private static let started: Result<Void, StintError> = {
    guard stint_vips_init("stint") == 0 else {
      return .failure(VipsError.take("start", code: .unavailable))
    }
    block()
    vips_cache_set_max(0)
    let quiet = GLogLevelFlags(G_LOG_LEVEL_MESSAGE.rawValue | G_LOG_LEVEL_INFO.rawValue)
    g_log_set_handler("VIPS", quiet, { _, _, _, _ in }, nil)
    DecoderMessages.listen()
    return .success(())
  }()
}

/// The formats that libvips keeps in modules, files of their own that it loads when it starts.
///
/// Loading them takes a third of the start of a program that filters a small image. Hardly any
/// image needs one, and all but AVIF and HEIC are blocked unless the user trusts them. Blocked or
/// not, each of them looks into every file to see whether it is one of its own. libvips has no way
/// to leave them out, but it looks for them below the folder in which it believes to be installed.
extension VipsLibrary {
  /// The variable that tells libvips where it is installed.
  private static let home = "VIPSHOME"
  private static let nowhere = "/nonexistent/stint"

  /// Leaves the modules alone until something asks for what one of them has; to be called before
  /// the library starts and before there are threads.
  ///
  /// Where the user says in which folder libvips is installed, everything stays as it was.
  package static func deferModules() {
    setenv(home, nowhere, 0)
  }

  /// Whether the module of AVIF and HEIC was loaded after all had been left alone; the first call
  /// loads it.
  ///
  /// False where there was nothing to leave alone, and where libvips has no such module.
  static let loadsModule: Bool = {
    guard load("vips-heif.so") else { return false }
    block()
    return true
  }()

  /// Loads a module if all were left alone; whether that was so, and it is there.
  @discardableResult
  static func load(_ module: String) -> Bool {
    guard let set = getenv(home), String(cString: set) == nowhere, let folder = modulesFolder()
    else { return false }
    return g_module_open("\(folder)/\(module)", G_MODULE_BIND_LAZY) != nil
  }

  /// Blocks what is not safe with files from strangers, of all types that are known now.
  static func block() {
    vips_block_untrusted_set(1)
    // libvips counts raw pixels among the untrusted; only files that this program wrote itself are
    // opened so, and no file's first bytes can ask for it.
    vips_operation_block_set("VipsForeignLoadRaw", 0)
  }

  /// Whether files may declare more pixels than they can hold.
  static var trustsSizes: Bool { sizes.withLock { $0 } }
  private static let sizes = Protected(false)

  /// Lets the loaders and savers of some formats run, and no other that libvips does not trust.
  ///
  /// To be called before a file is opened: what is blocked counts for the whole process.
  ///
  /// - Parameter formats: The formats.
  /// - Throws: `unavailable` if libvips cannot read one of them here.
  package static func trust(_ formats: Set<UntrustedFormat>) throws(StintError) {
    try start()
    sizes.withLock { $0 = formats.contains(.size) }
    let classes = formats.compactMap { format in format.loaderClass.map { (format, $0) } }
    guard !classes.isEmpty else { return }
    // Each module that is loaded blocks anew, so none may be loaded later.
    _ = loadsModule
    for module in formats.compactMap(\.module) { load(module) }
    block()
    for (format, loader) in classes {
      guard g_type_from_name(loader) != 0 else {
        throw StintError(
          .unavailable,
          "This libvips (\(version)) does not read \(format.name); install one that does, or convert "
            + "the file to PNG, JPEG, TIFF or WebP.")
      }
      vips_operation_block_set(loader, 0)
      if let saver = format.saverClass { vips_operation_block_set(saver, 0) }
    }
  }

  /// The folder beside the library that holds its modules.
  private static func modulesFolder() -> String? {
    guard let path = libraryPath(), let slash = path.lastIndex(of: "/") else { return nil }
    return "\(path[..<slash])/vips-modules-\(vips_version(0)).\(vips_version(1))"
  }

  /// Where the library was loaded from, as the kernel lists it.
  private static func libraryPath() -> String? {
    guard let maps = fopen("/proc/self/maps", "re") else { return nil }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { free(line) }
    while getline(&line, &size, maps) > 0, let line {
      let text = String(cString: line)
      guard let slash = text.firstIndex(of: "/"), text[slash...].holds("/libvips.so") else {
        continue
      }
      return String(text[slash...].prefix { $0 != "\n" })
    }
    return nil
  }
}
#endif
