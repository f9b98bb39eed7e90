"""A session that has taken place, run again from a party's folder; what others could make of it.

Real parties in processes join with --plain; each folder gives the model back bit for bit."""

import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import chatham as ch
from chatham.audit.membership import document_auc
from chatham.audit.replaying import Replay, Told, replay, rounds_seen, session_in
from chatham.audit.retelling import InPlace, Retold
from chatham.audit.session_ledger import OTHERS, _view, audit_session, rebuilt_by
from chatham.cli import app
from chatham.commons import Memory, Simulated
from chatham.commons.fixed_point import decode, encode
from chatham.commons.interface import as_statistics
from chatham.errors import FileError, InputError
from chatham.federation.join import read_for
from chatham.federation.session import read_session
from chatham.model.topic_model import TopicModel
from tests.audit.toys import bags
from tests.cli.federation import NAMES, WORDS, Federation, commands, ended, stopped
from tests.conftest import plant

pytestmark = pytest.mark.filterwarnings("ignore")

RARE = [f"{word}{end}" for word in WORDS for end in "aeiou"]


def texts(n, seed):
    """Short documents of many words, some of which only one document has."""
    counts = plant(n=n, d=len(RARE), k=3, length=30, seed=seed)[0].toarray().astype(int)
    return [" ".join(np.repeat(RARE, row)) for row in counts]


@pytest.fixture(scope="module")
def met(tmp_path_factory):
    """Three parties that have fitted three models and kept what they sent."""
    federation = Federation(tmp_path_factory.mktemp("session"))
    for seed, name in enumerate(NAMES):
        federation.text(name).write_text("\n".join(texts(60, seed)) + "\n", "utf-8")
    words = {"min_df": 3, "own_df": 1}
    parameters = {"max_iter": 4}
    sessions = {
        "nmf": federation.session("nmf", words=words, parameters=parameters),
        "exact": federation.session(
            "plsa", "exact.toml", words=words, exact_totals_know=True, parameters={"max_iter": 20}
        ),
        "scored": federation.session(
            "plsa", "scored.toml", words=words, parameters=parameters,
            score={"measures": ["npmi"], "held_out": 0.2},
        ),
    }  # fmt: skip
    relay, _ = federation.relaying(*sessions.values())
    try:
        ended(
            *(
                commands(*(federation.joining(name, p, "--plain") for p in sessions.values()))
                for name in NAMES
            )
        )
    finally:
        stopped(relay)
    return federation, sessions


def documents_of(federation, path, name="North"):
    return read_for(read_session(path), federation.text(name))


def folder_of(federation, path, name="North"):
    return federation.folder / f"{name}-{path.stem}"


@pytest.fixture
def copied(met, tmp_path):
    """North's folder of the NMF session, to be damaged."""
    federation, sessions = met
    folder = tmp_path / "north"
    shutil.copytree(folder_of(federation, sessions["nmf"]), folder)
    return folder, documents_of(federation, sessions["nmf"])


@pytest.mark.parametrize("name", ["nmf", "exact", "scored"])
def test_the_replayed_model_is_the_one_that_was_saved(met, name):
    federation, sessions = met
    path = sessions[name]
    again = replay(folder_of(federation, path), documents_of(federation, path))
    saved = ch.load(federation.model("North", path))
    np.testing.assert_array_equal(again.model.topics, saved.topics)
    assert again.model.vocabulary.tolist() == saved.vocabulary.tolist()
    assert again.rows.shape[0] == (48 if name == "scored" else 60)
    for each in again.told:
        assert [part.shape for part in each.mine] == [part.shape for part in each.total]


@pytest.mark.parametrize("name", ["nmf", "exact"])
def test_my_part_is_what_my_documents_give_and_the_rest_is_noise(met, name):
    """Independently: with the party's own secret its steps give what it sent, noise aside."""
    federation, sessions = met
    path = sessions[name]
    again = replay(folder_of(federation, path), documents_of(federation, path))
    memory, noise = Memory(0, 3, federation.secrets(path)[0]), []
    for each in again.told:
        parts, _ = as_statistics(each.step(again.rows, memory, *each.shared))
        for part, mine, deviation, bits in zip(
            parts, each.mine, each.deviations, each.bits, strict=True
        ):
            if deviation:
                noise.append(np.ravel(mine - part) / deviation)
            elif part.dtype.kind == "f":
                np.testing.assert_array_equal(mine, decode(encode(part, bits, 3), bits))
            else:
                np.testing.assert_array_equal(mine, part)
    if name == "nmf":
        drawn = np.concatenate(noise)
        assert drawn.std() == pytest.approx(1.0, abs=5 / np.sqrt(2 * drawn.size))
        assert abs(drawn.mean()) < 5 / np.sqrt(drawn.size)
    else:
        assert noise == []


def test_parts_of_all_parties_add_up_to_the_totals(met):
    federation, sessions = met
    path = sessions["nmf"]
    replays = [
        replay(folder_of(federation, path, n), documents_of(federation, path, n)) for n in NAMES
    ]
    for sums in zip(*(each.told for each in replays), strict=True):
        for number, total in enumerate(sums[0].total):
            added = sum(each.mine[number] for each in sums)
            np.testing.assert_allclose(added, total, atol=1e-9)
            np.testing.assert_array_equal(sums[1].total[number], total)


def test_exact_totals_give_documents_back_and_the_default_none(met):
    federation, sessions = met
    for name in ("exact", "nmf"):
        path = sessions[name]
        again = replay(folder_of(federation, path), documents_of(federation, path))
        exposed = rebuilt_by(again, OTHERS)
        if name == "exact":
            assert exposed.documents
            assert not exposed.elsewhere  # all that attacks are sure of is this party's
        else:
            assert not exposed.documents
            assert not exposed.parts


def test_the_audit_of_a_session_has_both_adversaries_and_no_figure_without_interval(met):
    federation, sessions = met
    path = sessions["nmf"]
    verdict = audit_session(
        folder_of(federation, path), documents_of(federation, path), documents=["3", "7"],
        databases=64,
    )  # fmt: skip
    assert [view.adversary for view in verdict.views] == ["the totals", "all others together"]
    table = verdict.table()
    assert set(table["document"]) == {"3", "7"}
    assert (table["log_ratio_low"] <= table["log_ratio"]).all()
    assert (table["without_low"] <= table["without"]).all()
    told = json.dumps(verdict.to_dict(), allow_nan=False)
    assert not any(word in told for word in RARE)
    for view in verdict.views:
        for each in view.recognised:
            assert each.log_ratio.caveat == "extrapolated"
            assert "likely with it than without it" in each.in_words


# Whether ratios are what they are called: on sessions in which it is known what was there.


class Telling(Simulated):
    """A simulated session, as the last of its parties would find it in its folder."""

    def __init__(self, parts, **more):
        super().__init__(parts, secure=True, **more)
        self.told = []

    def _masked(self, step, shared, precision):
        sums, kept = self._sums, {}

        class Kept:
            def total(self, contributions, digest):
                kept["mine"] = contributions[-1].copy()
                return sums.total(contributions, digest)

        self._sums = Kept()
        totals, is_tuple = super()._masked(step, shared, precision)
        self._sums = sums
        documents = None if self.counted is None else self.counted.documents
        bits = precision.bits(totals, documents, self.holders, self.fraction_bits)
        ends = np.cumsum([total.size for total in totals])
        mine = tuple(
            (decode(piece, f) if total.dtype.kind == "f" else piece.view(np.int64)).reshape(
                total.shape
            )
            for piece, f, total in zip(np.split(kept["mine"], ends[:-1]), bits, totals, strict=True)
        )
        deviations = tuple(precision.deviations(len(totals)))
        self.told.append(Told(step, shared, deviations, bits, totals, mine))
        return totals, is_tuple


def took_place(rows, database, seed):
    """A session in which the party had this database, found by one that asks about all rows."""
    others = [bags(60, d=40, seed=100 + seed), bags(60, d=40, seed=200 + seed)]
    commons = Telling([*others, database], secrets=[b"a%d" % seed, b"b", b"c%d" % seed])
    learner = ch.NMF(3, random_state=0, max_iter=4).fit(commons)
    words = np.array([f"w{i}" for i in range(40)])
    session = type("Session", (), {"hash": bytes(32), "parties": (0, 1, 2)})()
    ids = tuple(map(str, range(rows.shape[0])))
    return Replay(session, tuple(commons.told), TopicModel(learner, words), rows, rows, ids, None)


def test_ratios_tell_who_was_there_and_those_without_it_are_as_often_as_said():
    rows = bags(80, d=40, length=12)
    design = InPlace(80, np.arange(4), 80, 64)
    ratios, shares, present = [], [], []
    for seed in range(6):
        real = design.database(seed, 99)
        again = took_place(rows, rows[real.rows], seed)
        view = _view(again, design, OTHERS, seed, None, None)
        found = {each.document: each for each in view.recognised}
        ratios += [found[str(t)].log_ratio.estimate for t in range(4)]
        shares += [found[str(t)].without.estimate for t in range(4)]
        present += real.present.tolist()
    present, shares = np.array(present), np.array(shares)
    assert 5 < present.sum() < 19
    (area,) = document_auc(np.array(ratios)[:, None], present[:, None])
    assert area.low > 0.6
    # Of documents that weren't there, shares are about uniform.
    absent = shares[~present]
    assert abs(absent.mean() - 0.5) < 4 * np.sqrt(1 / 12 / len(absent))
    assert shares[present].mean() < 0.2


def test_databases_have_all_other_documents_and_copies_in_place_of_those_left_out():
    design = InPlace(50, np.array([3, 8, 40]), 50, 10)
    assert [len(group) for group in design.groups] == [2, 1]
    for number in range(design.databases):
        database = design.database(number, 0)
        asked = design.targets[database.targets]
        assert len(database.rows) == 50
        assert set(np.delete(np.arange(50), asked)) <= set(database.rows)
        assert np.isin(asked, database.rows).tolist() == database.present.tolist()
    with pytest.raises(InputError, match="none left to stand in the place"):
        InPlace(1, np.array([0]), 1, 10)


def test_what_others_sent_stays_as_it_was_where_totals_are_seen():
    rows = bags(40, d=40)
    again = took_place(rows, rows, 0)
    seen, own = Retold(again, among_others=True)(rows, 5), Retold(again)(rows, 5)
    parts = [t.total[i] - t.mine[i] for t in again.told for i in range(len(t.total))]
    for total, mine, rest in zip(seen.totals, own.totals, parts, strict=True):
        difference = total.cells - mine.cells
        rest = np.moveaxis(rest, rest.shape.index(40), -1) if 40 in rest.shape else rest
        np.testing.assert_allclose(difference, rest, atol=1e-9)
    noise = [each.noise for each in rounds_seen(again.told, 3, mine=False)]
    alone = [each.noise for each in rounds_seen(again.told, 3, mine=True)]
    np.testing.assert_allclose(np.concatenate(noise), np.sqrt(3) * np.concatenate(alone))


# What is refused.


def test_a_folder_without_a_plain_ledger_says_how_to_get_one(copied):
    folder, corpus = copied
    shutil.rmtree(folder / "plain")
    with pytest.raises(FileError, match=r"has no plain ledger.*chatham join --plain"):
        audit_session(folder, corpus)


def test_what_isnt_as_it_was_written_is_refused(copied):
    folder, corpus = copied
    file = sorted((folder / "plain").glob("*.npy"))[-1]
    original = file.read_bytes()
    file.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    with pytest.raises(FileError, match="these aren't the numbers that left"):
        replay(folder, corpus)
    file.write_bytes(b"\x80\x04.")  # a pickle, which is never opened
    with pytest.raises(FileError, match="these aren't the numbers that left"):
        replay(folder, corpus)
    file.unlink()
    with pytest.raises(FileError, match="is missing or can't be read"):
        replay(folder, corpus)
    file.write_bytes(original)
    ledger = folder / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b'"bits": 0', b'"bits": 9', 1))
    with pytest.raises(FileError, match="isn't what was written"):
        replay(folder, corpus)


def test_an_unfinished_session_says_so(copied):
    folder, corpus = copied
    for path in sorted((folder / "rounds").iterdir())[-6:]:
        path.unlink()
    lines = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    last = max(int(p.stem) for p in (folder / "rounds").glob("*.agreed"))
    kept = [line for line in lines if json.loads(line)["round"] <= last]
    (folder / "ledger.jsonl").write_bytes(b"".join(kept))
    from chatham.federation.party.ledger import hash_of

    (folder / "ledger.head").write_text(hash_of(kept[-1].rstrip(b"\n")) + "\n")
    for path in (folder / "plain").glob("*.npy"):
        if int(path.name[:6]) > last:
            path.unlink()
    with pytest.raises(FileError, match="before its model was there"):
        replay(folder, corpus)


def test_other_documents_and_other_folders_are_refused(met, copied, tmp_path):
    federation, sessions = met
    folder, corpus = copied
    with pytest.raises(InputError, match="aren't the documents with which this party took part"):
        replay(folder, documents_of(federation, sessions["nmf"], "South"))
    with pytest.raises(FileError, match="There is no folder"):
        session_in(tmp_path / "nowhere")
    with pytest.raises(FileError, match="isn't a party's folder"):
        session_in(tmp_path)
    other = read_session(sessions["exact"])
    with pytest.raises(FileError, match="its session is another"):
        replay(folder, corpus, other)
    with pytest.raises(InputError, match="no document 'x'"):
        audit_session(folder, corpus, documents=["x"])
    with pytest.raises(InputError, match="databases must be a whole number of at least 64"):
        audit_session(folder, corpus, databases=10)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_prints_both_adversaries(met, tmp_path):
    federation, sessions = met
    path = sessions["nmf"]
    report = tmp_path / "session.json"
    ids = tmp_path / "ids.txt"
    ids.write_text("3\n")
    words = ["audit", federation.text("North"), "--session", folder_of(federation, path)]
    result = run(*words, "--documents", ids, "--databases", 64, "--jobs", 1, "-o", report)
    assert result.exit_code == 0, result.output
    assert "A coalition of all other parties." in result.stdout
    assert "Rebuilt from what crossed: 0 documents whole" in " ".join(result.stdout.split())
    assert json.loads(report.read_text())["parties"] == 3
    refused = run(*words, "-k", 3)
    assert refused.exit_code == 2
    assert "it is the session that decides this" in refused.output
    html = run(*words, "-o", tmp_path / "x.html")
    assert html.exit_code == 2
    assert "must end in .json" in html.output
    missing = run("audit", federation.text("North"), "--session", tmp_path / "no")
    assert missing.exit_code == 1
    assert "There is no folder" in missing.output
