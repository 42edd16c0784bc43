"""Speed of floatbase beside other libraries: one run, the same robots, the same states, checked results."""
