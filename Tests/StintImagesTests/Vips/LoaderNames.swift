#if Images
import CVips

@testable import StintImages

/// The classes of libvips' loaders of files, from its own list of types.
enum LoaderNames {
  /// Those that are not blocked.
  static var open: [String] {
    below(g_type_from_name("VipsForeignLoad")).filter { !VipsOperation.isBlocked($0) }
  }

  private static func below(_ type: GType) -> [String] {
    var count: UInt32 = 0
    guard let children = g_type_children(type, &count) else { return [] }
    defer { g_free(children) }
    return (0..<Int(count)).flatMap { index -> [String] in
      let name = String(cString: g_type_name(children[index]))
      let inner = below(children[index])
      // Of a format that is also read from memory, the class of files is one of several.
      let isOfFiles = !name.hasSuffix("Source") && !name.hasSuffix("Buffer")
      return inner.isEmpty && isOfFiles ? [name] : inner
    }
  }
}
#endif
