import StintCore
import Testing

/// Expects an error with a code, an errno and words in its sentence.
@discardableResult
func expectError<Result>(
  _ code: StintError.Code? = nil, errno: Int32? = nil, saying words: String...,
  comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ attempt: () throws -> Result
) -> StintError? {
  let error = #expect(throws: StintError.self, comment, sourceLocation: sourceLocation) {
    _ = try attempt()
  }
  if let code { #expect(error?.code == code, comment, sourceLocation: sourceLocation) }
  if let errno { #expect(error?.errno == errno, comment, sourceLocation: sourceLocation) }
  let sentence = error?.message ?? ""
  for word in words { #expect(sentence.contains(word), comment, sourceLocation: sourceLocation) }
  return error
}
