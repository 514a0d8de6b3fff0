#if Images
import CVips

extension VipsLibrary {
  /// What computes pixels here, in words: another version, or other instructions of the processor,
  /// may round differently.
  package static var engine: String {
    "libvips \(version) \(vips_vector_isenabled() != 0 ? "with" : "without") vector instructions"
  }
}
#endif
