#if Images
package import StintRuntime

/// A set that an older version began, in the folder of this one.
///
/// Its key held its inputs. What it made is this set's, and then it goes.
package struct EarlierImageSet: Sendable {
  /// What its ledger holds.
  package var ledger: [UInt8]
  /// What its temporary names were made of.
  package var parameters: JobParameters
  /// Removes its job.
  package var remove: @Sendable () throws -> Void

  package init(
    ledger: [UInt8], parameters: JobParameters, remove: @escaping @Sendable () throws -> Void
  ) {
    (self.ledger, self.parameters, self.remove) = (ledger, parameters, remove)
  }
}
#endif
