#if Images
package import StintCommands
package import StintImages

extension ImageEstimate: RunEstimate {
  package var subject: [RunEstimateLine] {
    [
      .init(key: "source", label: "source", text: source),
      .init(key: "filters", label: "filters", text: filters.isEmpty ? "none" : filters),
      .init(key: "image", label: "image", text: result),
    ]
  }
}

extension ImageSetEstimate: RunEstimate {
  package var subject: [RunEstimateLine] {
    [
      .init(key: "source", label: "source", text: inputs),
      .init(key: "filters", label: "filters", text: filters.isEmpty ? "none" : filters),
      .init(key: "image", label: "image", text: outputs),
    ]
  }
}
#endif
