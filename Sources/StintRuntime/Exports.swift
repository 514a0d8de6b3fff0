@_exported public import StintCore
