// Where a file imports `Testing` and a module named UIKit, the compiler imports this module, too,
// which Apple's toolchains have. Here there is nothing to add to tests.
