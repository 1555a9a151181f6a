print("mergectl")
