print("livecap")
