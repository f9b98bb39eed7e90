"""What each learner may be told, and what is true of it once it is fitted; numpy is all it needs.

A model file is checked by these alone, so that whoever only looks at topics doesn't wait for what
fitting needs. They import nothing of the learners, whose classes inherit them.
"""
