print("stint-bench")
