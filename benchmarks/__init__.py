"""Side by side with the peers that are installed: the same data, the same threads, one run.

Machines are noisy, so contenders take turns, the best of several tries counts, and what matters
is the ratio within a run, never a time by itself.
"""
