/// The page's only style sheet.
package enum StyleSheet {
  /// What stands between the tags; the page's policy admits exactly this text, by its checksum.
  package static let text = """
    :root{color-scheme:light dark;\(ColourScheme.light.declarations)}
    @media (prefers-color-scheme:dark){:root{\(ColourScheme.dark.declarations)}}
    \(layout)
    \(figures)
    \(plots)
    \(paper)
    """

  /// The SHA-256 of the text in base 64; a test computes it.
  package static let checksum = "oudax2LG0EjO1pGv0UxLH25Ef88aFnzxWtPwZZveZWc="

  private static let layout = """
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--ground);color:var(--text);
    font:1rem/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;overflow-wrap:anywhere}
    .skip{position:absolute;left:-100vw;top:0;padding:.6rem 1rem;background:var(--ground);z-index:1}
    .skip:focus{left:0}
    a{color:var(--link);text-underline-offset:.15em}
    :focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:2px}
    main:focus{outline:none}
    header,nav,main,footer{max-width:58rem;margin-inline:auto;padding-inline:1rem}
    header{padding-block:2.5rem .5rem}
    h1{font-size:1.7rem;line-height:1.25;margin:0 0 .4rem;font-weight:650;letter-spacing:-.01em}
    h2{font-size:1.25rem;line-height:1.3;margin:0 0 .5rem;font-weight:650}
    h3{font-size:1rem;margin:1.8rem 0 .3rem;font-weight:650}
    p{margin:0 0 .8rem;max-width:44rem}
    .quiet{color:var(--quiet)}
    nav ul{list-style:none;margin:.5rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.3rem}
    nav a{display:inline-block;padding-block:.25rem}
    section{margin-top:2.2rem;padding-top:1.8rem;border-top:1px solid var(--rule)}
    footer{margin-top:3rem;padding-block:1.2rem 3rem;color:var(--quiet);font-size:.9rem}
    footer p{max-width:none;border-top:1px solid var(--rule);padding-top:1.2rem}
    code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.92em}
    details{margin-block:.8rem}
    summary{cursor:pointer;padding:.45rem 0;font-weight:600}
    .problems{border-left:4px solid var(--lost);padding:.2rem 0 .2rem 1rem;margin:1.2rem 0;list-style:none}
    """

  private static let figures = """
    .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:1.1rem 1.6rem;margin:1.4rem 0 0}
    .figures div{display:flex;flex-direction:column}
    .figures dt{color:var(--quiet);font-size:.9rem}
    .figures dd{margin:0;font-size:1.55rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap}
    .figures dd+dd{font-size:.9rem;font-weight:400;color:var(--quiet);line-height:1.4;white-space:normal}
    .caption{color:var(--quiet);font-size:.9rem;margin:1.3rem 0 .4rem}
    .scroll{overflow-x:auto;max-width:100%}
    table{border-collapse:collapse;font-size:.9rem;line-height:1.4;min-width:100%;font-variant-numeric:tabular-nums}
    th,td{padding:.38rem .55rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);overflow-wrap:normal}
    th:first-child,td:first-child{padding-left:.3rem}
    thead th{font-weight:600;background:var(--raised);border-bottom-color:var(--quiet)}
    tbody th{font-weight:400}
    .number{text-align:right;white-space:nowrap}
    .words{min-width:13rem;overflow-wrap:anywhere}
    .strong th,.strong td{font-weight:650}
    """

  private static let plots = """
    figure{margin:1.1rem 0 0}
    figcaption{color:var(--quiet);font-size:.9rem;line-height:1.5;margin-top:.5rem;max-width:44rem}
    svg.plot{display:block;width:100%;max-width:58rem;height:auto;font-size:12px;font-variant-numeric:tabular-nums}
    svg.narrow{display:none}
    svg text{fill:var(--text);stroke:var(--ground);stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
    svg .quiet{fill:var(--quiet)}
    svg .strong{font-weight:650}
    svg .grid{stroke:var(--rule);stroke-width:1;fill:none}
    svg .axis{stroke:var(--quiet);stroke-width:1;fill:none}
    svg .limit{stroke:var(--text);stroke-width:1.5;stroke-dasharray:5 3;fill:none}
    svg .granted{fill:var(--raised);stroke:var(--quiet);stroke-width:1}
    svg .kept{fill:var(--kept)}
    svg .lost{stroke:var(--lost);stroke-width:3;fill:none}
    svg .lostedge{stroke:var(--lost);stroke-width:1.5;fill:none}
    svg .expiry{stroke:var(--expiry);stroke-width:2;fill:var(--ground)}
    svg .mark{fill:var(--text)}
    svg .deadline{stroke:var(--text);stroke-width:2;fill:none}
    svg .s0{fill:var(--series-0);stroke:var(--series-0)}
    svg .s1{fill:var(--series-1);stroke:var(--series-1)}
    svg .s2{fill:var(--series-2);stroke:var(--series-2)}
    svg .s3{fill:var(--series-3);stroke:var(--series-3)}
    svg .whisker{stroke-width:1.2}
    .legend{list-style:none;margin:.9rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.15rem 1.3rem;font-size:.9rem}
    .legend li{display:flex;align-items:center;gap:.45rem}
    .legend svg{width:22px;height:14px;flex:none}
    @media (max-width:45rem){svg.wide{display:none}svg.narrow{display:block}svg.plot{max-width:32rem}h1{font-size:1.4rem}header{padding-top:1.6rem}}
    """

  private static let paper = """
    @media print{:root{color-scheme:light;\(ColourScheme.light.declarations)}
    body{font-size:10pt}nav,.skip{display:none}header,main,footer{max-width:none}
    section,figure,tr{break-inside:avoid}section:has(table){break-inside:auto}h2,h3,.caption,summary{break-after:avoid}
    .scroll{overflow:visible}svg.wide{display:block}svg.narrow{display:none}a{color:inherit;text-decoration:none}
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
    """
}
