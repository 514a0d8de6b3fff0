/// The version of the product.
enum ProductVersion {
  static let text = "0.1.0"
}
