extension SystemModel {
  /// What came of asking for a task: its identifier, or why there is none.
  package enum Grant: Hashable, Sendable {
    case granted(Int, isPending: Bool)
    case denied(ModelDenial)
  }

  /// A task is asked for (A1 to A4, A8, A11, A13).
  package mutating func begin(
    name: String, place: Int, delivery: ModelDelivery, at now: Int
  ) -> Grant {
    look(at: now)
    return ask(name: name, place: place, delivery: delivery, isSystems: false, at: now)
  }

  mutating func ask(
    name: String, place: Int, delivery: ModelDelivery, isSystems: Bool, at now: Int
  ) -> Grant {
    if let denial = denial(at: now) { return .denied(denial) }
    // A1: from 1 upward, never reused.
    let id = history.stories.count + 1
    history.stories.append(
      ModelHistory.Story(
        id: id, name: name, place: place, delivery: delivery, began: now, isSystems: isSystems))
    // A13: no handler means no warning, and that is said.
    if delivery == .none { say(.taskWithoutHandler(name: name, place: place)) }
    if isRemote {
      act(.ask(id))
    } else {
      history.note(.granted, of: id, at: now)
    }
    look(at: now)
    return .granted(id, isPending: isRemote)
  }

  /// A4: why running in the background is impossible now.
  ///
  /// The order of the reasons is a choice: the stop comes first.
  private func denial(at now: Int) -> ModelDenial? {
    let reading = reading
    if reading.stop != nil { return .stopping }
    if reading.state == .notRunning { return .notRunning }
    if reading.state == .suspended { return .suspended }
    // A8: every task that has not been ended counts, also a denied or spent one.
    if reading.tasks.count >= policy.maximumTasks {
      return .tooManyTasks(maximum: policy.maximumTasks)
    }
    if let trip = reading.trip, trip.deadline != never {
      let left = trip.deadline - now
      // A11: less than is worth granting; and nothing at all is never worth it, for nobody could be
      // warned.
      if left < policy.leastWorthGranting || left <= 0 {
        return .tooLittleTime(left: max(0, left), least: policy.leastWorthGranting)
      }
    }
    return nil
  }

  /// The authority in another process answers; nil grants.
  package mutating func answer(_ id: Int, _ denial: ModelDenial?, at now: Int) {
    look(at: now)
    // The task was ended, or answered, while the answer was on its way.
    guard let task = reading.tasks.first(where: { $0.id == id }), task.state == .pending else {
      return
    }
    act(.answer(id, denial))
    if let denial {
      // A4: one call of its handler, with the reason; and the task holds nothing.
      let deadline = reading.deadline
      history.note(.denied(denial), of: id, at: now)
      if task.delivery.needsMain {
        history.note(.called(history.calls + 1), of: id, at: now)
        act(.callHandlers([id], .denied(denial), deadline: deadline))
      } else if task.delivery != .none {
        history.note(.handed, of: id, at: now)
        act(.handDirectly([id], .denied(denial), deadline: deadline))
      }
    } else {
      history.note(.granted, of: id, at: now)
    }
    look(at: now)
  }

  /// A5, A6, A7: a task is ended by its owner.
  package mutating func end(
    _ id: Int, place: Int, quietly: Bool, at now: Int
  ) -> ModelEndResult {
    look(at: now)
    guard let task = reading.tasks.first(where: { $0.id == id }) else {
      return endMissing(id, place: place, quietly: quietly)
    }
    history.note(.ended(place), of: id, at: now)
    look(at: now)
    // A5: the typed form says whether the handler runs or has run.
    return task.isSpent ? .handlerAlreadyStarted : .ended
  }

  /// A7: nothing changes, and one diagnostic names it and, if known, where it was ended.
  private mutating func endMissing(
    _ id: Int, place: Int, quietly: Bool
  ) -> ModelEndResult {
    let wasGiven = id >= 1 && id <= history.stories.count
    if !quietly {
      if id == 0 {
        say(.endedInvalid(by: place))
      } else if let first = history.rememberedEnd(of: id, limit: policy.rememberedEnds) {
        say(.endedTwice(id, name: history.stories[id - 1].name, first: first, by: place))
      } else {
        say(.endedUnknown(id, by: place))
      }
    }
    return wasGiven ? .alreadyEnded : .unknown
  }

  /// The main queue comes to a call; whether the handler may be called (A5, A12, A17).
  package mutating func claim(call number: Int, of id: Int, at now: Int) -> Bool {
    look(at: now)
    let reading = reading
    // A choice: a call that was on its way when the application was suspended (a denial's, A4) or
    // terminated still comes.
    guard reading.tasks.first(where: { $0.id == id })?.waitingCall == number else { return false }
    history.note(.claimed, of: id, at: now)
    look(at: now)
    return true
  }

  /// A handler has returned; it may have ended its task.
  package mutating func handlerReturned(_ id: Int, at now: Int) {
    look(at: now)
    if reading.tasks.first(where: { $0.id == id })?.isRunningHandler == true {
      history.note(.returned, of: id, at: now)
    }
    look(at: now)
  }
}

extension ModelHistory {
  /// Where a task was ended, if it is among the last so many that were.
  func rememberedEnd(of id: Int, limit: Int) -> Int? {
    var ends: [(order: Int, id: Int, place: Int)] = []
    for story in stories {
      for fact in story.facts {
        if case .ended(let place) = fact.what { ends.append((fact.order, story.id, place)) }
      }
    }
    return ends.sorted { $0.order > $1.order }.prefix(limit).first { $0.id == id }?.place
  }
}
