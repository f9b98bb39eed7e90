"""`--inference`: the weights of documents found in another way than the model's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.parse import as_choice

if TYPE_CHECKING:
    from chatham.model.intake import Intake
    from chatham.model.topic_model import TopicModel

POSTERIOR = "posterior"
CHOICES = ("padd", "spi", "tli", "least-squares", POSTERIOR)


def check_inference(written: str | None) -> None:
    """Refuse a name that no inference has."""
    if written is not None:
        as_choice(written, CHOICES, "--inference")


def inferred(model: TopicModel, documents: Intake, inference: str | None, jobs: int) -> Any:
    """The weights of documents, by the model's own inference if no other is named."""
    from chatham.model.infer import infer

    own = getattr(model.estimator, "inference", None)
    if inference is None or inference == own:
        return model.estimator.transform(documents.counts)
    if inference == POSTERIOR:
        if own is None:
            raise typer.BadParameter(
                f"posterior is for models fitted with --model anchor, and the model is "
                f"{model.algorithm}; leave it out for the model's own.",
                param_hint="--inference",
            )
        return model.estimator.set_params(inference=POSTERIOR).transform(documents.counts)
    return infer(model, documents, inference, n_jobs=jobs)
