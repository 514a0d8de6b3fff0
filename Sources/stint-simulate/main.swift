SimulateProgram.main()
