import StintCore

/// Cuts texts to a number of columns, with a mark where something is missing.
struct Shortening: Hashable, Sendable {
  /// Stands for what is left out.
  let mark: String

  init(_ style: LineStyle) {
    mark = style.unicode ? "…" : "..."
  }

  /// The beginning of a text.
  func end(_ text: String, to width: Int) -> String {
    let shown = text.showingControlCharacters
    if CellWidth.of(shown) <= width { return shown }
    let room = width - CellWidth.of(mark)
    return room > 0 ? CellWidth.fitted(shown, to: room) + mark : CellWidth.fitted(shown, to: width)
  }

  /// The beginning and the end of a text: of a path, the end says more.
  func middle(_ text: String, to width: Int) -> String {
    let shown = text.showingControlCharacters
    if CellWidth.of(shown) <= width { return shown }
    let room = width - CellWidth.of(mark)
    guard room > 1 else { return end(text, to: width) }
    let head = CellWidth.fitted(shown, to: room / 3)
    var (tail, used) = ([Character](), CellWidth.of(head))
    for character in shown.reversed() {
      let cells = CellWidth.of(character)
      guard used + cells <= room else { break }
      tail.append(character)
      used += cells
    }
    return head + mark + String(tail.reversed())
  }
}
