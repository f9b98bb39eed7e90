"""What taking part gives away: what an adversary sees of a fit, and what it can make of it.

The package can be called: `chatham.audit(corpus, "nmf", …)` is `auditing.audit`, whichever of its
modules are imported. A function of the package's name beside it would hide them. And
`chatham.audit.decide(…)`, with the same parameters, is `decision.decide`: the risk, and beside it
what could be rebuilt and what there is to gain.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *args: Any, **parameters: Any) -> Any:
        """`auditing.audit`, which says what it takes."""
        from chatham.audit.auditing import audit

        return audit(*args, **parameters)

    def decide(self, *args: Any, **parameters: Any) -> Any:
        """`decision.decide`, which says what it takes."""
        from chatham.audit.decision import decide

        return decide(*args, **parameters)


sys.modules[__name__].__class__ = _Callable
