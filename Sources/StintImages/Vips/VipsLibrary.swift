#if Images
import CVips
import StintCore

/// The library libvips, as this process uses it.
package enum VipsLibrary {
  /// Its version, such as `8.14.1`.
  package static var version: String {
    "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))"
  }
}
#endif
