// The colours of a timeline's picture, for light and dark.

/// One scheme of colours. `SvgStyleTests` computes their contrasts: at least 7 for text, 3 for what has a shape only.
struct SvgStyle {
  /// The page, and what is written on it: strongly, and less so.
  let page, text, muted: String
  /// Lines between lanes, and at the ticks.
  let line: String
  /// What a baton's span is drawn in.
  let span: String
  /// For each kind of bar what it is filled with, and its outline.
  let finished, failed, cancelled, open: (fill: String, outline: String)

  static let light = SvgStyle(
    page: "#ffffff", text: "#1f2328", muted: "#4d565f", line: "#d8dee4", span: "#6e7781",
    finished: ("#cfe3ff", "#0969da"), failed: ("#ffd3d0", "#cf222e"), cancelled: ("#e6eaef", "#6e7781"),
    open: ("#ffe9a8", "#9a6700"))

  static let dark = SvgStyle(
    page: "#0d1117", text: "#f0f6fc", muted: "#b0b9c2", line: "#2d343c", span: "#8b949e",
    finished: ("#143a69", "#4c9bff"), failed: ("#671f1f", "#ff7b72"), cancelled: ("#2f363e", "#8b949e"),
    open: ("#4f3d08", "#e3a62f"))

  private var rules: String {
    """
    .page{fill:\(page)}.h,.m,.t{fill:\(text)}.u{fill:\(muted)}.g{stroke:\(line)}.z{fill:\(line)}.s{fill:\(span)}.a{stroke:\(page)}
    .b{fill:\(finished.fill);stroke:\(finished.outline)}.B{fill:\(finished.outline)}
    .f{fill:\(failed.fill);stroke:\(failed.outline)}.F{fill:\(failed.outline)}.x{stroke:\(failed.outline)}
    .c{fill:\(cancelled.fill);stroke:\(cancelled.outline)}.C{fill:\(cancelled.outline)}.w{fill:\(span)}
    .o{fill:\(open.fill);stroke:\(open.outline)}.O{fill:\(open.outline)}
    """
  }

  /// The picture's style sheet: light, and dark where the reader prefers that.
  static let sheet = """
    .h{font:600 18px system-ui,-apple-system,"Segoe UI",sans-serif}.t{font:13px system-ui,-apple-system,"Segoe UI",sans-serif}
    .m{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}
    .g{stroke-width:1}.x{fill:none;stroke-width:1.5}.b,.f,.c,.o{stroke-width:1}.k{stroke-width:2.5}.a{stroke-width:3px;paint-order:stroke;stroke-linejoin:round}.n{font-weight:700}
    \(light.rules)
    @media (prefers-color-scheme:dark){\(dark.rules)}
    """
}
