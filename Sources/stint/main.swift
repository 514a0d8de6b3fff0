import StintCommands

StintProgram.main()
