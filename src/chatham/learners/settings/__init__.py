"""The parameters of each learner, and what holds once it is fitted; they need only numpy.

A model file is checked with these alone, so that showing topics doesn't have to import what fitting
needs. They import nothing from the learners, whose classes inherit from them.
"""
