"""What Chatham raises: one base class, so that a caller can catch everything of ours at once.

This module imports nothing, and every other one may import it.
"""


class ChathamError(Exception):
    """Anything that Chatham refuses or can't do; its message is one sentence for a person."""


class InputError(ChathamError, ValueError):
    """What was given breaks a rule: the message names it, the rule, and what to do."""


class ModelFileError(InputError):
    """A model folder that is missing, damaged, or not ours."""


class HolderError(ChathamError, RuntimeError):
    """A statistic failed where the rows are: the message names the holder and the statistic."""
