/// One thing that is due.
enum ScheduleDue {
  case expire(ScheduleRun, ModelReason)
  case giveBack(ScheduleRun)
  case fail(ScheduleRun, task: Int)
  case begin(ModelRequest)
}

extension ScheduleModel {
  /// What the history says now.
  package var reading: ScheduleReading { ScheduleReading(history, policy) }

  /// Somebody looks at the clocks: what is due is done.
  package mutating func look(at now: ModelMoment) {
    while let due = reading.due(at: now) {
      switch due {
      case .expire(let run, let reason):
        expire(run, reason, deadline: now.at + policy.lead, at: now)
      case .giveBack(let run):
        giveBack(run, at: now)
      case .fail(let run, let task):
        history.note(.failed(run: run.number), at: now)
        act(.fail(task: task))
      case .begin(let request):
        begin(request, at: now)
      }
    }
  }
}
