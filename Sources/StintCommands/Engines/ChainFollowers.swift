import StintCore
import StintRuntime

/// Jobs that are submitted when a chain, or several together, have ended; each of them once.
struct ChainFollowers: Hashable, Sendable {
  /// At which ends one is submitted.
  enum Occasion: String, Hashable, Sendable, CaseIterable {
    /// The work is finished.
    case finished
    /// It ended unfinished, and nobody stopped it.
    case failed
    /// It ended, and nobody stopped it.
    case ended

    func isMet(by ending: ChainMachine.Ending) -> Bool {
      switch self {
      case .finished: ending == .finished
      case .failed: ending != .finished && ending != .stopped
      case .ended: ending != .stopped
      }
    }

    /// The option that gives its words, and the member of the record that holds them; that of its
    /// state is longer by a word.
    private var names: (option: String, member: String) {
      switch self {
      case .finished: ("then", "follower")
      case .failed: ("on-failure", "onFailure")
      case .ended: ("then-always", "thenAlways")
      }
    }

    var option: String { names.option }
    fileprivate var member: String { names.member }
  }

  enum State: String, Hashable, Sendable, CaseIterable {
    case waiting
    /// Being submitted; whether that happened is not known.
    case submitting
    case submitted
  }

  struct Follower: Hashable, Sendable {
    /// Words for an `sbatch`, or for a `stint submit` on the engine of the chain.
    var words: [String]
    var state = State.waiting
  }

  private var followers: [Occasion: Follower] = [:]

  init() {}

  /// Reads the options of a command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    for occasion in Occasion.allCases {
      guard let text = parsed.text(occasion.option) else { continue }
      let words = try SbatchWords.split(text, of: "--" + occasion.option)
      if !words.isEmpty { followers[occasion] = Follower(words: words) }
    }
  }

  var isEmpty: Bool { followers.isEmpty }

  subscript(_ occasion: Occasion) -> Follower? {
    get { followers[occasion] }
    set { followers[occasion] = newValue }
  }

  /// Those that an ending asks for and that nobody has begun to submit.
  func due(at ending: ChainMachine.Ending) -> [Occasion] {
    Occasion.allCases.filter { $0.isMet(by: ending) && followers[$0]?.state == .waiting }
  }

  /// What is still to be submitted after an ending, as a clause; nil if nothing is.
  func text(at ending: ChainMachine.Ending) -> String? {
    let open = Occasion.allCases.filter { occasion in
      occasion.isMet(by: ending) && followers[occasion].map { $0.state != .submitted } ?? false
    }
    guard !open.isEmpty else { return nil }
    return open.map { occasion in
      followers[occasion]?.state == .waiting
        ? "--\(occasion.option) is not submitted yet"
        : "nobody knows whether --\(occasion.option) was submitted"
    }.joined(separator: ", ")
  }

  func add(to json: inout JSONLine) {
    for occasion in Occasion.allCases {
      guard let follower = followers[occasion] else { continue }
      json.add(occasion.member, follower.words)
      json.add(occasion.member + "State", follower.state.rawValue)
    }
  }

  init(_ object: JSONObject) throws(JSONFault) {
    for occasion in Occasion.allCases {
      guard let words = try object.optionalTexts(occasion.member), !words.isEmpty else { continue }
      followers[occasion] = Follower(
        words: words, state: try object.optionalChoice(occasion.member + "State") ?? .waiting)
    }
  }
}

extension ChainRecord {
  /// Submits what an ending asks for; that it is tried is written down before.
  ///
  /// - Parameters:
  ///   - ending: How the work ended.
  ///   - engine: Who takes it.
  ///   - job: The chain or the array of this record, which this process holds.
  ///   - say: Takes sentences for the user.
  /// - Returns: Why the engine did not take one of them; nil if nothing is left to submit.
  /// - Throws: ``StintError`` with the code `io`.
  mutating func submitFollowers(
    at ending: ChainMachine.Ending, to engine: any Engine, in job: ChainJob, say: (String) -> Void
  ) throws -> StintError? {
    var refusal: StintError?
    try recognize(on: engine, in: job)
    for occasion in followers.due(at: ending) {
      followers[occasion]?.state = .submitting
      try job.write(self)
      do {
        let number = try engine.submit(
          follower: followers[occasion]?.words ?? [], from: launch.directory,
          markedAs: mark(of: occasion, in: job))
        followers[occasion]?.state = .submitted
        say("Submitted what follows (--\(occasion.option)) as \(engine.title(ofJob: number))")
      } catch {
        // The engine may still take it, and another try would submit it twice.
        if error.mayHaveBeenTaken {
          say("Nobody knows whether --\(occasion.option) was submitted: \(error.message)")
          continue
        }
        // The next slice tries again.
        followers[occasion]?.state = .waiting
        refusal = error.about("--\(occasion.option)")
      }
      try job.write(self)
    }
    return refusal
  }

  /// Finds what was being submitted when whoever did so was killed, where the engine can tell.
  private mutating func recognize(on engine: any Engine, in job: ChainJob) throws {
    let before = followers
    for occasion in ChainFollowers.Occasion.allCases
    where followers[occasion]?.state == .submitting {
      guard case .success(let number) = engine.follower(markedAs: mark(of: occasion, in: job))
      else { continue }
      followers[occasion]?.state = number == nil ? .waiting : .submitted
    }
    if followers != before { try job.write(self) }
  }

  private func mark(of occasion: ChainFollowers.Occasion, in job: ChainJob) -> String {
    "\(job.job.key)/\(submission)/\(occasion.option)"
  }

  /// Writes down that nobody tries any more to submit what was to follow.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  mutating func note(_ refusal: StintError, in job: ChainJob) throws {
    why? += " What was to follow was not submitted: \(refusal.message)."
    try job.write(self)
  }
}
