#if Images
import Foundation
import StintCore
import StintImages
import Testing

@Suite("The catalogue of filters")
struct FilterCatalogueTests {
  @Test("every filter that a user expects is there under its usual names")
  func names() {
    let wanted = [
      "gaussian-blur", "sharpen", "unsharp-mask", "median", "box-blur", "sobel", "canny",
      "laplacian", "emboss", "convolve", "invert", "gamma", "brightness-contrast", "brightness",
      "contrast", "grayscale", "sepia", "threshold", "posterise", "posterize", "rotate", "flip",
      "crop", "resize", "equalise", "equalize", "contrast-stretch", "clahe", "flatten",
    ]
    #expect(Set(wanted).isSubset(of: Set(FilterCatalogue.names)))
    #expect(Set(FilterCatalogue.names).count == FilterCatalogue.names.count)
  }

  @Test("every example can be read, is of its filter, and every filter is tested")
  func examples() throws {
    for filter in FilterCatalogue.all {
      let steps = try FilterPipeline(parsing: [filter.example]).steps
      #expect(filter.example.hasPrefix(filter.name) && steps.count == 1)
      #expect(FilterVariants.all.contains { $0.hasPrefix(filter.name) }, "\(filter.name)")
      #expect(!filter.summary.hasSuffix(".") && !filter.result.hasSuffix("."))
    }
  }

  @Test("standard values are in their ranges and stay what they are when written out")
  func standards() throws {
    for filter in FilterCatalogue.all {
      let canonical = try FilterPipeline(parsing: [filter.example]).canonicalText
      let parts = canonical.drop { $0 != ":" }.dropFirst().split(separator: ",")
      for parameter in filter.parameters {
        guard case .standard(let value) = parameter.presence else { continue }
        let written = "\(parameter.name)=\(value.canonicalText)"
        let others = parts.filter { !$0.hasPrefix("\(parameter.name)=") } + [written[...]]
        let pipeline = try FilterPipeline(
          parsing: [filter.name + ":" + others.joined(separator: ",")])
        #expect(pipeline.canonicalText.contains(written), "\(filter.name)")
      }
    }
  }

  @Test(
    "the text fits its width and names every parameter with its range", arguments: [50, 80, 100])
  func text(width: Int) {
    let text = FilterCatalogue.text(option: "--filter", width: width)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= max(width, 60) })
    let flat = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for filter in FilterCatalogue.all {
      #expect(flat.contains(filter.summary))
      for parameter in filter.parameters { #expect(flat.contains("; \(parameter.rangeText); ")) }
    }
  }

  @Test("the JSON has every filter and every parameter")
  func json() throws {
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(FilterCatalogue.json.utf8)) as? [String: Any])
    let filters = try #require(object["filters"] as? [[String: Any]])
    #expect(filters.compactMap { $0["name"] as? String } == FilterCatalogue.all.map(\.name))
    let parameters = filters.flatMap { $0["parameters"] as? [[String: Any]] ?? [] }
    #expect(parameters.count == FilterCatalogue.all.reduce(0) { $0 + $1.parameters.count })
    #expect(parameters.allSatisfy { $0["kind"] != nil && $0["isRequired"] != nil })
  }

  @Test("the page has the catalogue as it is")
  func page() throws {
    let url = URL(filePath: "../../../docs/image-filters.md", relativeTo: URL(filePath: #filePath))
    let page = try String(contentsOf: url, encoding: .utf8)
    let heading = "## The filters\n\n"
    let end = try #require(page.range(of: heading)).upperBound
    if ProcessInfo.processInfo.environment["STINT_WRITE_PAGES"] != nil {
      try (page[..<end] + FilterCatalogue.markdown(option: "--filter")).write(
        to: url, atomically: true, encoding: .utf8)
    } else {
      #expect(
        page[end...] == FilterCatalogue.markdown(option: "--filter"),
        "STINT_WRITE_PAGES=1 writes it anew")
    }
  }
}
#endif
