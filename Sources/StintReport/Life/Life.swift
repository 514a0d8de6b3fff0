import StintCore

/// The life of a job: its stints in their order, whether they were lived on a real clock or a
/// virtual one.
///
/// A journal and a benchmark's sample are both mapped onto this; everything that is drawn, counted
/// or traced begins here.
package struct Life: Hashable, Sendable {
  /// Oldest first.
  package var stints: [LifeStint]
  /// Whether its journal accounts for the work; that of a batch does not: its lines do that
  /// themselves.
  package var countsWork: Bool

  package init(stints: [LifeStint] = [], countsWork: Bool = true) {
    self.stints = stints
    self.countsWork = countsWork
  }
}

package struct LifeStint: Hashable, Sendable {
  /// How a stint came to its end, as far as colours and counts go.
  package enum Ending: String, Hashable, Sendable, CaseIterable {
    /// The result is durable.
    case finished
    /// Its time was over, and it ended in order.
    case timeUp
    /// Somebody asked it to stop or to pause.
    case asked
    /// It was not given time.
    case denied
    /// An error ended it.
    case failed
    /// It never said how it ended.
    case killed
    /// It still runs.
    case open
  }

  /// A checkpoint that became durable.
  package struct Checkpoint: Hashable, Sendable {
    /// When it was durable, since the stint began.
    package var at: Duration
    /// What it cost; nil if nobody measured it.
    package var took: Duration?
    package var sizeBytes: Int?
    /// The job's own time up to it.
    package var workTime: Duration?

    package init(
      at: Duration, took: Duration? = nil, sizeBytes: Int? = nil, workTime: Duration? = nil
    ) {
      self.at = at
      self.took = took
      self.sizeBytes = sizeBytes
      self.workTime = workTime
    }
  }

  /// An expiry: the handlers were called.
  package struct Expiry: Hashable, Sendable {
    package var at: Duration
    /// Why, as the end of "the time ended because ...".
    package var reason: String
    /// When the time was gone, since the stint began; nil if it was not told.
    package var deadline: Duration?

    package init(at: Duration, reason: String, deadline: Duration? = nil) {
      self.at = at
      self.reason = reason
      self.deadline = deadline
    }
  }

  /// A chunk, where chunks are known.
  package struct Chunk: Hashable, Sendable {
    package var at: Duration
    package var took: Duration

    package init(at: Duration, took: Duration) {
      self.at = at
      self.took = took
    }
  }

  /// Something that was said of it, at a time since it began.
  package struct Remark: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case checkpointFailed, setAside, termination, notice
    }

    package var at: Duration
    package var kind: Kind
    package var text: String

    package init(at: Duration, kind: Kind, text: String) {
      self.at = at
      self.kind = kind
      self.text = text
    }
  }

  /// When it began, since the life began.
  package var began: Duration
  /// What people call that moment; nil in virtual time.
  package var moment: String?
  /// Its process; nil in virtual time.
  package var process: Int?
  /// The time that was granted; nil without limit.
  package var budget: Duration?
  /// From its begin to the last that is known of it.
  package var elapsed: Duration
  /// Work time that became durable in it.
  package var saved: Duration
  /// Work time that it lost; nil if it was ended before it could say.
  package var lost: Duration?
  package var ending: Ending
  /// How it ended, as a clause.
  package var words: String
  package var checkpoints: [Checkpoint]
  package var expiries: [Expiry]
  package var chunks: [Chunk]
  package var remarks: [Remark]

  package init(
    began: Duration, moment: String? = nil, process: Int? = nil, budget: Duration? = nil,
    elapsed: Duration, saved: Duration, lost: Duration? = .zero, ending: Ending, words: String,
    checkpoints: [Checkpoint] = [], expiries: [Expiry] = [], chunks: [Chunk] = [],
    remarks: [Remark] = []
  ) {
    self.began = began
    self.moment = moment
    self.process = process
    self.budget = budget
    self.elapsed = elapsed
    self.saved = saved
    self.lost = lost
    self.ending = ending
    self.words = words
    self.checkpoints = checkpoints
    self.expiries = expiries
    self.chunks = chunks
    self.remarks = remarks
  }
}

extension LifeStint {
  /// Whether its whole budget could be used: the time ran out, or was running out when it was
  /// killed.
  package var usedItsBudget: Bool {
    switch ending {
    case .timeUp: true
    // Killed before any warning, it was ended from outside; nobody knows how soon after its last
    // sign of life.
    case .killed: !expiries.isEmpty || budget.map { elapsed >= $0 } ?? false
    case .finished, .asked, .denied, .failed, .open: false
    }
  }

  /// The time that counts as granted: the whole budget where the time ran out, and what is known to
  /// have been used of it where the stint ended for another reason, such as the result being there.
  ///
  /// Never less than what was saved in it: a deadline that moved later gave more than the budget
  /// that the stint began with.
  package var granted: Duration {
    if ending == .denied { return saved }
    guard let budget else { return max(saved, elapsed) }
    return max(saved, usedItsBudget ? budget : min(budget, elapsed))
  }

  /// How it ended, with the reason of the expiry where that says more.
  package var wordsWithReason: String {
    guard let reason = expiries.last?.reason, reason != words,
      reason != ExpiryReason.timeElapsed.description || ending != .timeUp
    else { return words }
    return "\(words) (\(reason))"
  }

  /// The share of the granted time that ended up saved; nil if none was granted.
  package var savedShare: Double? {
    granted > .zero ? saved.inSeconds / granted.inSeconds : nil
  }

  /// How far its last sign of life lies past the deadline; zero if it does not.
  package var overshoot: Duration {
    guard let deadline = [budget, expiries.compactMap(\.deadline).min()].compactMap({ $0 }).min()
    else { return .zero }
    return max(.zero, elapsed - deadline)
  }

  /// From here on nothing is known to be kept: the part of its time that is drawn as lost; nil if
  /// all was kept.
  package var lostFrom: Duration? {
    switch ending {
    case .finished, .open, .denied:
      return nil
    case .killed:
      let last = checkpoints.last?.at ?? .zero
      return last < elapsed && lost != .zero ? last : nil
    case .timeUp, .asked, .failed:
      guard let lost, lost > .zero else { return nil }
      return max(.zero, elapsed - lost)
    }
  }
}
