(assert (
