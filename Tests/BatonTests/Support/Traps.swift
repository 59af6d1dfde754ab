// What a trap says.

import Testing

/// Expects that the process of an exit test said these words on standard error. In debug builds only.
func expect(
  _ result: ExitTest.Result?, says words: String..., at location: SourceLocation = #_sourceLocation
) {
  #if DEBUG
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for word in words { #expect(text.contains(word), sourceLocation: location) }
  #endif
}
