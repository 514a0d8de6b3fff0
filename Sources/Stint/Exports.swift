@_exported public import StintCore
@_exported public import StintRuntime
