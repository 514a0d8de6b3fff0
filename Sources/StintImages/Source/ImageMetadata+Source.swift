#if Images
extension ImageMetadata {
  /// What the source says besides its pixels, as it holds for the result.
  ///
  /// Pixels that were turned upright are not to be turned again.
  init(of source: ImageSource) {
    let header = source.header
    let orientation = source.isTurned ? 1 : source.orientation
    let exif = header.blob("exif-data").map { data in
      let bare = data.starts(with: Array("Exif\0\0".utf8)) ? Array(data.dropFirst(6)) : data
      return ExifOrientation.replacing(in: bare, with: UInt8(orientation))
    }
    let (x, y) = header.resolution
    // libvips gives 1 pixel per millimetre to images that say nothing.
    let isKnown = header.has(field: "resolution-unit") || (x, y) != (1, 1)
    let turned = source.isTurned && source.orientation >= 5
    self.init(
      profile: header.blob("icc-profile-data"),
      resolution: isKnown && x > 0 && y > 0
        ? Resolution(horizontal: turned ? y : x, vertical: turned ? x : y) : nil,
      exif: exif, xmp: header.blob("xmp-data"), iptc: header.blob("iptc-data"),
      orientation: header.has(field: "orientation") ? orientation : nil,
      description: header.text("image-description"))
  }
}
#endif
