"""The relay's side: a board for signed notes, an adding machine for words it can't read."""
