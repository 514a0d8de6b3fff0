/// A partial file that a C library can open by itself.
package protocol MappableFile: PartialFile {
  /// A path that opens this very file in this process; nil if it is not a file of the operating
  /// system.
  var descriptorPath: String? { get }
}
