import StintImageCommands

StintImagesProgram.main()
