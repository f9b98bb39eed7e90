"""All that takes long to import, once for the processes of a federation (see `federation`)."""

from importlib import import_module

for name in (
    "typer.testing", "chatham.cli.join.command", "chatham.cli.join.view",
    "chatham.cli.join.confirming", "chatham.cli.progress", "chatham.cli.session.view",
    "chatham.federation.party.party",
    "chatham.federation.party.http_link", "chatham.federation.program", "chatham.learners.lda",
    "chatham.learners.nmf", "chatham.learners.plsa", "chatham.learners.kmeans",
    "chatham.learners.svd", "chatham.learners.anchor", "llvmlite.binding", "scipy.linalg",
    "rich.console",
):  # fmt: skip
    import_module(name)
