"""When learners should stop: long fits watched round by round."""
