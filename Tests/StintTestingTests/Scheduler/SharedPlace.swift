import Testing

/// Suites that put virtual systems in the place of the shared application: one after another,
/// because a process has one such place.
@Suite("The place of the shared application", .serialized)
enum SharedPlace {}
