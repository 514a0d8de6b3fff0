import StintCore
import StintRuntime

@testable import StintCommands

extension BatchDirectory {
  /// Opens the directory of a batch that can be written down in one form only.
  ///
  /// - Throws: ``StintError``, as the other initialiser.
  convenience init(
    parameters: JobParameters, jobsPath: String, startsOver: Bool = false,
    fileSystem: any FileSystem = PosixFileSystem(), identity: StoreIdentity = .current(),
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StintError) {
    let record = JobRecord(
      kind: Kind.batch.name, parameters: parameters, outputPath: nil, identity: identity)
    try self.init(
      forms: JobForms(record), jobsPath: jobsPath, startsOver: startsOver, fileSystem: fileSystem,
      identity: identity, report: report)
  }
}
