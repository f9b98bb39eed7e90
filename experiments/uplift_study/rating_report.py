"""What the page says about ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inference_study.markdown import listed, markdown
from inference_study.records import Record
from uplift_study.plan import Plan
from uplift_study.rating_study import TOGETHER, Rated, penalties, tuned
from uplift_study.recommender import ITERATIONS
from uplift_study.tables import Party, Uplift, grouped, having, uplift, values


def rating_parts(plan: Plan, rated: Rated) -> list[str]:
    """Method, uplifts, errors, and which penalties were chosen."""
    found = rated.records
    return [
        "## Recommender, MovieLens-1M (Fig. 3.7b)",
        listed(_method(plan)),
        "Uplift in percent, and the errors alone → together in stars:",
        _table(found, _gain),
        _table(found, lambda each: f"{each.alone:.3f} → {each.together:.3f}"),
        "By films that the party itself has ratings to learn from:",
        _table(found, _gain, "known"),
        "The best that each can do, k and penalty chosen by ratings set aside; what simply the "
        "user's mean gives; and how many held-out ratings are of films that the party alone has "
        "not seen:",
        _best(plan, rated),
        "Penalties chosen for parties alone, and together:",
        _penalties(plan, rated.tuning),
    ]  # fmt: skip


def _method(plan: Plan) -> list[str]:
    return [
        "`ch.NMF(constraint=\"none\", missing=\"unobserved\")`, the same ℓ2 penalty on weights and "
        f"factors, at most {ITERATIONS} iterations; users are dealt to parties of the same shares. "
        "Films are a public list. A fifth of all ratings is held out, the same in all "
        f"{plan.rating_seeds} seeds; the error is the root of the mean squared error of those of a "
        "party's users.",
        "The penalty is chosen for each k and size, and for all together, out of "
        f"{', '.join(f'{each:g}' for each in plan.penalties)}, by a fifth of the other ratings, "
        "with the parties of the first seed. Guesses are cut to 1 to 5 stars; a film that a model "
        "has no rating of gets the user's mean.",
    ]  # fmt: skip


def _table(found: Sequence[Record], cell: Callable[[Uplift], str], only: str = "") -> str:
    sizes = values(found, "k")
    ends = f", {only}" if only else ""
    groups = {k: grouped(having(found, k=k), "share") for k in sizes}
    rows = [
        [f"{100 * share:g} %", f"{np.mean([each['train'] for each in parties]):,.0f}",
         *(cell(uplift(groups[k][share], f"alone{ends}", f"together{ends}")) for k in sizes)]
        for share, parties in grouped(found, "share").items()
    ]  # fmt: skip
    return markdown(["share of all", "users", *(f"k = {k}" for k in sizes)], rows)


def _gain(found: Uplift) -> str:
    sign = f"{found.mean:+.1f}".replace("-", "−")
    return f"{sign} ± {found.deviation:.1f} ({100 * found.gaining:.0f} %)"


def best_k(plan: Plan, tuning: Sequence[Record], share: float) -> int:
    """The number of factors that is best for parties of that share, by the ratings set aside."""
    errors = {
        k: min(tuned(record, share) for record in having(tuning, k=k)) for k in plan.rating_topics
    }
    return min(errors, key=errors.__getitem__)


def best_parties(plan: Plan, rated: Rated, share: float) -> list[Party]:
    """Parties of that share with the best number of factors alone and together."""
    own, common = (best_k(plan, rated.tuning, each) for each in (share, TOGETHER))
    alone, together = (grouped(having(rated.records, k=k), "share")[share] for k in (own, common))
    return [
        {**mine, "together": others["together"]}
        for mine, others in zip(alone, together, strict=True)
    ]


def _best(plan: Plan, rated: Rated) -> str:
    head = ["share of all", "k alone", "alone", "k together", "together", "uplift, %",
            "user's mean", "uplift over it, %", "unseen films"]  # fmt: skip
    common = best_k(plan, rated.tuning, TOGETHER)
    return markdown(head, [_best_row(plan, rated, share, common) for share, _ in plan.mix])


def _best_row(plan: Plan, rated: Rated, share: float, common: int) -> list[Any]:
    parties = best_parties(plan, rated, share)
    found, over = uplift(parties), uplift(parties, "mean")
    unknown = float(np.mean([each["unknown"] for each in parties]))
    return [
        f"{100 * share:g} %", best_k(plan, rated.tuning, share), f"{found.alone:.3f}", common,
        f"{found.together:.3f}", _gain(found), f"{over.alone:.3f}", _gain(over),
        f"{100 * unknown:.1f} %",
    ]  # fmt: skip


def _penalties(plan: Plan, tuning: Sequence[Record]) -> str:
    head = ["k", *(f"{100 * share:g} %" for share, _ in plan.mix), "together"]
    rows = [[k, *(f"{each:g}" for each in penalties(tuning, k, plan))] for k in plan.rating_topics]
    return markdown(head, rows)
