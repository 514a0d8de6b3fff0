print("stint")
