"""Weights found in another way than the model's own."""

import json

import numpy as np
import pytest

import chatham as ch
from chatham.model.infer import infer
from tests.cli.conftest import PETS


@pytest.fixture(scope="module")
def anchored(run, news, tmp_path_factory):
    """Two saved anchor models, the second of which has learned PADD's dual."""
    folder = tmp_path_factory.mktemp("anchored")
    for name in ("posterior", "padd"):
        settings = ("--set", "refine=2", "--set", f"inference={name}")
        result = run("fit", news, "-k", 2, "-m", "anchor", *settings, "-o", folder / name)
        assert result.exit_code == 0, result.output
    return folder


def weights_in(result):
    found = json.loads(result.stdout)
    rows = [[row["topic_0"], row["topic_1"]] for row in found["weights"]]
    return np.array(rows), found


@pytest.mark.parametrize("method", ["spi", "tli", "least-squares"])
def test_any_model_by_any_method(run, news, model, method):
    found, described = weights_in(run("transform", model, news, "--inference", method, "--json"))
    expected = infer(ch.load(model), [*PETS, ""], method)
    assert np.allclose(found, expected, atol=1e-12)
    assert described["inference"] == method


def test_padd_is_the_models_own_where_it_was_learned(run, news, anchored):
    own = weights_in(run("transform", anchored / "padd", news, "--json"))[0]
    named, described = weights_in(
        run("transform", anchored / "padd", news, "--inference", "padd", "--json")
    )
    assert np.array_equal(own, named)
    assert not any("depend on the others" in said for said in described["warnings"])


def test_padd_says_when_it_learns_from_these_documents(run, news, anchored):
    found, described = weights_in(
        run("transform", anchored / "posterior", news, "--inference", "padd", "--json")
    )
    assert np.allclose(found, infer(ch.load(anchored / "posterior"), [*PETS, ""], "padd"))
    assert any("depend on the others" in said for said in described["warnings"])


def test_posterior_is_for_anchor_models(run, news, anchored, model):
    other = weights_in(
        run("transform", anchored / "padd", news, "--inference", "posterior", "--json")
    )[0]
    loaded = ch.load(anchored / "padd")
    loaded.estimator.set_params(inference="posterior")
    assert np.allclose(other, loaded.transform([*PETS, ""]))
    refused = run("transform", model, news, "--inference", "posterior")
    assert refused.exit_code == 2
    assert "the model is lda" in " ".join(refused.stderr.split())


def test_wrong_inferences(run, news, model):
    assert run("transform", model, news, "--inference", "guess").exit_code == 2
    result = run("transform", model, news, "--inference", "padd")
    assert result.exit_code == 1
    assert "or --inference least-squares." in result.stderr
