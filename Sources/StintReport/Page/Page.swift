/// A page of a report: one HTML file that needs nothing else, no script and no network.
package struct Page: Hashable, Sendable {
  /// A part of the page with a heading.
  package struct Section: Hashable, Sendable {
    /// What links to it; letters and hyphens.
    package var anchor: String
    package var title: String
    package var contents: Markup

    package init(_ anchor: String, _ title: String, _ contents: Markup) {
      self.anchor = anchor
      self.title = title
      self.contents = contents
    }
  }

  /// One figure that is shown large.
  package struct Figure: Hashable, Sendable {
    package var name: String
    package var value: String
    package var note: String

    package init(_ name: String, _ value: String, _ note: String = "") {
      self.name = name
      self.value = value
      self.note = note
    }
  }

  package var title: String
  /// Lines below the title.
  package var subtitles: [String]
  package var figures: [Figure]
  /// What is wrong with what the page was made of.
  package var problems: [String]
  package var sections: [Section]
  package var footer: String

  package init(
    title: String, subtitles: [String], figures: [Figure], problems: [String] = [],
    sections: [Section], footer: String
  ) {
    self.title = title
    self.subtitles = subtitles
    self.figures = figures
    self.problems = problems
    self.sections = sections
    self.footer = footer
  }

  /// Nothing is loaded from anywhere, and nothing runs.
  private static let policy =
    "default-src 'none'; style-src 'sha256-\(StyleSheet.checksum)'; img-src data:; "
    + "base-uri 'none'; form-action 'none'"

  /// The file's contents.
  package var html: String {
    "<!DOCTYPE html>\n"
      + Markup.element("html", ["lang": "en"], head + Markup(trusted: "\n"), body).text + "\n"
  }

  private var head: Markup {
    .element(
      "head", [:],
      .void("meta", ["charset": "utf-8"]),
      .void("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
      .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
      .void("meta", ["name": "color-scheme", "content": "light dark"]),
      .void("meta", ["name": "referrer", "content": "no-referrer"]),
      .element("title", [:], Markup(title)),
      // A browser asks the server for an icon if a page names none.
      .void("link", ["rel": "icon", "href": "data:,"]),
      .element("style", [:], Markup(trusted: StyleSheet.text)))
  }

  private var body: Markup {
    .element(
      "body", [:],
      .element("a", ["class": "skip", "href": "#main"], Markup("Skip to the report")),
      header, contents,
      .element(
        "main", ["id": "main", "tabindex": "-1"], Markup(sections.map(Self.markup))),
      .element("footer", [:], .element("p", [:], Markup(footer))))
  }

  private var header: Markup {
    var parts = Markup.element("h1", [:], Markup(title))
    for line in subtitles { parts += .element("p", ["class": "quiet"], Markup(line)) }
    if !problems.isEmpty {
      parts += .element(
        "ul", ["class": "problems"],
        Markup(problems.map { .element("li", [:], Markup($0)) }))
    }
    if !figures.isEmpty {
      parts += .element("dl", ["class": "figures"], Markup(figures.map(Self.markup)))
    }
    return .element("header", [:], parts)
  }

  private var contents: Markup {
    guard sections.count > 1 else { return Markup() }
    let links = sections.map { section in
      Markup.element(
        "li", [:], .element("a", ["href": "#" + section.anchor], Markup(section.title)))
    }
    return .element("nav", ["aria-label": "Contents"], .element("ul", [:], Markup(links)))
  }

  private static func markup(_ figure: Figure) -> Markup {
    .element(
      "div", [:],
      .element("dt", [:], Markup(figure.name)), .element("dd", [:], Markup(figure.value)),
      figure.note.isEmpty ? Markup() : .element("dd", [:], Markup(figure.note)))
  }

  private static func markup(_ section: Section) -> Markup {
    .element(
      "section", ["aria-labelledby": section.anchor],
      .element("h2", ["id": section.anchor], Markup(section.title)), section.contents)
  }

  /// A plot with a sentence below it.
  package static func figure(_ plot: Markup, _ caption: String) -> Markup {
    .element("figure", [:], plot, .element("figcaption", [:], Markup(caption)))
  }

  package static func paragraph(_ text: String) -> Markup {
    .element("p", [:], Markup(text))
  }
}
