public import Foundation
import Stint

extension ProcessInfo {
  /// How hot the machine is.
  public enum ThermalState: Int, Sendable {
    /// Nothing has to cool it.
    case nominal
    /// It cools itself.
    case fair
    /// The kernel slows it down.
    case serious
    /// It is about to stop.
    case critical
  }

  /// How hot the machine is, by the trip points of the kernel's thermal zones; nominal on a machine
  /// that has none.
  public var thermalState: ThermalState {
    switch MachinePower().heat {
    case .none: .nominal
    case .active: .fair
    case .passive: .serious
    case .critical: .critical
    }
  }

  /// Whether batteries feed the machine, and one of them has at most 20 percent.
  public var isLowPowerModeEnabled: Bool { MachinePower().isLow }
}
