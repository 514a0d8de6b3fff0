/// The five states of an application's life (L1).
package enum ModelState: String, Hashable, Sendable {
  case notRunning, inactive, active, background, suspended
}

/// What can happen to an application's life; which of them is possible follows from its state (L1,
/// L2, L3).
package enum ModelLifeEvent: String, Hashable, Sendable, CaseIterable {
  case launched, resigned, backgroundEntered, foregroundEntered, becameActive
}

/// What delegate and observers are told (L2).
package enum ModelTransition: String, Hashable, Sendable {
  case willFinishLaunching, didFinishLaunching
  case willResignActive, didEnterBackground, willEnterForeground, didBecomeActive, willTerminate
  case didReceiveMemoryWarning
}

/// How an expiry reaches the owner of a task (A12, A13, A21).
package enum ModelDelivery: String, Hashable, Sendable {
  /// Not at all (A13).
  case none
  /// A call on the main queue.
  case main
  /// A call on the main queue that may go on after it has been left.
  case mainAsync
  /// At once, away from the main queue.
  case direct
  /// At once, and the system ends the task before the deadline (A21).
  case scoped

  /// Whether the main queue has to be served for it.
  var needsMain: Bool { self == .main || self == .mainAsync }
}

/// Why a task is not granted (A4).
package enum ModelDenial: Hashable, Sendable {
  case notRunning, suspended, stopping, refused
  case tooManyTasks(maximum: Int)
  case tooLittleTime(left: Int, least: Int)
}

/// A use of a mode: uses count from 1 (B5).
package struct ModelMode: Hashable, Sendable {
  package var number: Int
  package var name: String

  /// Creates a use.
  package init(number: Int, name: String) {
    self.number = number
    self.name = name
  }
}

/// Why a mode is not, or no longer, in use (B5).
package enum ModelRefusal: Error, Hashable, Sendable {
  case undeclared, notPermitted, limited, notRunning, suspended, stopping
}

/// Why time is over (A18, Q3, Q5).
package enum ModelReason: Hashable, Sendable {
  case timeElapsed, revoked, stopRequested, engineEndTime, leastProgress
  case requirementLost(ModelRequirement)
  case signal(Int)
  case denied(ModelDenial)
}

/// Why the process is ended (L8).
package enum ModelCause: Hashable, Sendable {
  case overrun, handlersOverran, enterBackgroundOverran, killedWhileSuspended
  case leakedTask(name: String)
  case neverCompleted(name: String)
}

/// How far an open task is, as the list shows it (A22).
package enum ModelTaskState: String, Hashable, Sendable {
  case pending, granted, warned, handling, spent, denied
}

/// What came of an end (A5, A7).
package enum ModelEndResult: String, Hashable, Sendable {
  case ended, handlerAlreadyStarted, alreadyEnded, unknown
}

/// An entry of the list of open tasks (A22).
package struct ModelOpenTask: Hashable, Sendable {
  package var id: Int
  package var name: String
  package var place: Int
  package var age: Int
  package var state: ModelTaskState

  /// Creates an entry.
  package init(id: Int, name: String, place: Int, age: Int, state: ModelTaskState) {
    self.id = id
    self.name = name
    self.place = place
    self.age = age
    self.state = state
  }
}

/// What the system does.
package enum ModelDeed: Hashable, Sendable {
  /// From now on code sees this state.
  case show(ModelState)
  /// Delegate and observers are told; the trip's number goes with didEnterBackground.
  case tell(ModelTransition, trip: Int)
  /// Owners away from the main queue are told of the expiry.
  case handDirectly([Int], ModelReason, deadline: Int)
  /// A durable record of the expiry is made.
  case record(ModelReason, deadline: Int, open: [String])
  /// Handlers are called, in this order.
  case callHandlers([Int], ModelReason, deadline: Int)
  case ask(Int)
  /// The authority's answer is passed on; nil for granted.
  case answer(Int, ModelDenial?)
  /// The end came nearer than owners count on.
  case deadlineMoved(to: Int)
  /// The end is later than owners count on.
  case deadlineExtended(to: Int)
  case suspend, resume, stopCompleted
  case terminate(ModelCause)
}

/// What the owner of the program is told.
package enum ModelDiagnostic: Hashable, Sendable {
  case taskWithoutHandler(name: String, place: Int)
  case endedInvalid(by: Int)
  case endedUnknown(Int, by: Int)
  case endedTwice(Int, name: String, first: Int, by: Int)
  case leftOpen(name: String, age: Int, place: Int)
  case handlerOverran(name: String, allowance: Int)
  case mainQueueUnserved(allowance: Int)
  case heldTooLong(name: String, held: Int, place: Int)
  case spentTaskEnded(name: String, place: Int)
  case scopeOverran(name: String)
  case modeEnded(name: String, ModelRefusal)
}
