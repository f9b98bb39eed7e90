"""Running designs: the audit audited on mechanisms with known leaks; resuming; the same bytes."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import ks_2samp

import chatham as ch
from chatham.audit.learned import held_out_scores
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.neighbours import CoinFlips, OneByOne
from chatham.audit.samples import Plan, SampleFolder, read_arrays
from chatham.audit.sampling import estimate_cost, sample
from chatham.audit.statistics import STATISTICS
from chatham.errors import FileError, InputError
from tests.audit.toys import (
    PLANTED,
    Constant,
    Database,
    LowBit,
    NoiseVaries,
    NoisySums,
    RoundWithout,
    SeedTwice,
    bags,
)

pytestmark = pytest.mark.filterwarnings("ignore")

TARGETS = np.array([PLANTED, 10])


def plan_of(mechanism, databases=120, **more):
    counts = bags()
    return Plan(mechanism, counts, CoinFlips(counts.shape[0], TARGETS, 40, databases), **more)


def p_value(samples, name, target=0):
    return ks_2samp(*samples.arms(name, target)).pvalue


def test_a_constant_mechanism_gets_one_for_every_document_and_statistic():
    samples = sample(plan_of(Constant()))
    assert len(samples.statistics) > 5
    for name in samples.statistics:
        for target in range(len(TARGETS)):
            assert p_value(samples, name, target) == 1.0


def test_a_mechanism_that_releases_the_database_is_caught_at_once():
    samples = sample(plan_of(Database(), databases=24))
    with_it, without = samples.arms("total_projection", 0)
    assert with_it == pytest.approx(1.0)  # the document itself
    assert without.max() < 0.9999
    for target in range(len(TARGETS)):
        assert p_value(samples, "total_projection", target) < 1e-4


@pytest.mark.parametrize(
    ("mechanism", "statistic"),
    [
        (NoiseVaries(), "second_moment"),
        (LowBit(), "low_bits"),
        (SeedTwice(deviation=50.0), "change_max"),
        (RoundWithout(deviation=50.0), "quietest_projection"),
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_planted_leaks_are_caught_and_only_for_the_document_that_leaks(mechanism, statistic):
    samples = sample(plan_of(mechanism, databases=300))
    assert p_value(samples, statistic) < 1e-6
    if isinstance(mechanism, NoiseVaries | LowBit):
        assert p_value(samples, statistic, target=1) > 0.01
        assert p_value(samples, "mean_projection") > 0.01  # the mean says nothing


def test_noise_that_is_large_enough_hides_a_document_from_all_statistics():
    samples = sample(plan_of(NoisySums(deviation=50.0), databases=200))
    p_values = [p_value(samples, name, t) for name in samples.statistics for t in range(2)]
    assert min(p_values) * len(p_values) > 0.05
    loud = sample(plan_of(NoisySums(deviation=0.1), databases=200))
    assert p_value(loud, "mean_projection") < 1e-6


def test_coins_and_one_document_at_a_time_agree():
    """The same leak, measured by each design: its distance differs by no more than samples do."""
    counts, mechanism = bags(), NoisySums(deviation=0.3)
    distances = []
    for design in (
        CoinFlips(60, TARGETS, 40, 400),
        OneByOne(60, TARGETS, 40, 200, simulator="fresh"),
        OneByOne(60, TARGETS, 40, 200, simulator="replacement"),
    ):
        samples = sample(Plan(mechanism, counts, design))
        assert samples.neighbours == design.neighbours
        distances.append([ks_2samp(*samples.arms("mean_projection", t)).statistic for t in (0, 1)])
    distances = np.array(distances)
    assert distances.min() > 0.15
    assert np.ptp(distances, axis=0).max() < 3 * np.sqrt(2 * 0.25 * 2 / 200)


def test_a_fit_shows_a_document_unlike_all_others_and_hides_one_that_is_doubled():
    counts = bags(60, d=30).toarray()
    counts[PLANTED] = 0
    counts[PLANTED, [1, 2]] = 200  # nobody else has so long or so narrow a document
    counts[11:40] = counts[10]
    mechanism = FitMechanism(ch.NMF(3, random_state=0, max_iter=10), exact_totals=True)
    design = CoinFlips(60, TARGETS, 40, 60)
    samples = sample(Plan(mechanism, sp.csr_array(counts), design))
    p_values = np.array([[p_value(samples, n, t) for n in samples.statistics] for t in (0, 1)])
    assert p_values[0].min() < 1e-6
    assert p_values[1].min() > 1e-3
    assert "topic_weights" in samples.statistics
    scores = held_out_scores(*samples.features(0), np.arange(60) % 5)
    assert np.mean((scores > 0) == samples.features(0)[1]) > 0.9


KILLED = """
import sys
from pathlib import Path

import chatham as ch
from chatham.audit.sampling import sample
from tests.audit.test_sampling import plan_to_kill

if __name__ == "__main__":
    sample(plan_to_kill(), Path(sys.argv[1]), n_jobs=int(sys.argv[2]))
"""
"""A run in a process of its own, to be killed."""


def plan_to_kill():
    mechanism = FitMechanism(ch.NMF(2, max_iter=3, random_state=0), others=2)
    return plan_of(mechanism, databases=90, batch=6)


def batches_in(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("batch-*.npz")}


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_killed_with_no_chance_to_tidy_up_is_resumed_with_the_same_bytes(tmp_path, processes):
    """SIGKILL for the whole group of processes, as soon as two batches are there."""
    script, folder, whole = tmp_path / "run.py", tmp_path / "killed", tmp_path / "whole"
    script.write_text(KILLED)
    words = [sys.executable, str(script), str(folder), str(processes)]
    root = str(Path(__file__).parents[2])
    running = subprocess.Popen(
        words, start_new_session=True, env={**os.environ, "PYTHONPATH": root}
    )
    while len(batches_in(folder)) < 2:
        assert running.poll() is None, "it ended before it could be killed"
        time.sleep(0.001)
    os.killpg(running.pid, signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    kept, plan = batches_in(folder), plan_to_kill()
    assert 2 <= len(kept) < plan.batches
    done = []
    sample(plan, folder, progress=lambda each, total: done.append(each))
    # What was there is kept, all of it: lost is only what was under way, a batch a process.
    assert len(done) == plan.batches - len(kept)
    assert {name: batches_in(folder)[name] for name in kept} == kept
    sample(plan, whole)
    for path in whole.iterdir():
        assert (folder / path.name).read_bytes() == path.read_bytes()
    assert batches_in(folder).keys() == batches_in(whole).keys()


def test_stored_samples_serve_statistics_that_come_later(tmp_path):
    plan = plan_of(NoisySums(deviation=0.3), databases=30)
    samples = sample(plan, tmp_path / "samples")
    before = samples.records(["mean_projection"])
    files = sorted(file.name for file in (tmp_path / "samples").iterdir())
    assert files == [*(f"batch-{batch:05d}.npz" for batch in range(plan.batches)), "plan.json"]
    fits = []
    later = sample(plan, tmp_path / "samples", progress=lambda done, total: fits.append(done))
    assert fits == []  # nothing was run again
    both = later.records(["low_bits", "mean_projection"])
    np.testing.assert_array_equal(both.values[:, 1:], before.values)
    assert both.database.tolist() == np.repeat(np.arange(30), 2).tolist()
    assert set(both.target) == {0, 1}


def test_a_run_that_is_interrupted_is_resumed_with_the_same_bytes(tmp_path):
    plan = plan_of(FitMechanism(ch.NMF(2, max_iter=3), sees="transcript"), databases=20, batch=3)
    whole = tmp_path / "whole"
    sample(plan, whole)
    assert plan.batches == 7

    class Killed(BaseException):
        pass

    def kill(done, total):
        assert total == 20
        if done >= 6:
            raise Killed

    parts = tmp_path / "parts"
    with pytest.raises(Killed):
        sample(plan, parts, progress=kill)
    assert len(list(parts.glob("*.npz"))) == 2
    # A kill in mid-write leaves a file under another name; a full disk leaves half a file.
    (parts / "batch-00002.npz.part").write_bytes(b"half")
    (parts / "batch-00003.npz").write_bytes((whole / "batch-00003.npz").read_bytes()[:500])
    done = []
    sample(plan, parts, progress=lambda each, total: done.append(each))
    assert done == [9, 12, 15, 18, 20]
    for batch in range(7):
        name = f"batch-{batch:05d}.npz"
        assert (parts / name).read_bytes() == (whole / name).read_bytes()


def test_any_number_of_processes_gives_the_same_bytes(tmp_path):
    plan = plan_of(FitMechanism(ch.NMF(2, max_iter=3), others=2), databases=12, batch=2)
    told = []
    sample(plan, tmp_path / "two", n_jobs=2, progress=lambda *each: told.append(each))
    sample(plan, tmp_path / "one", n_jobs=1)
    assert told == [(done, 12) for done in range(2, 13, 2)]
    in_memory = sample(plan)
    for batch in range(plan.batches):
        files = [SampleFolder(tmp_path / name, plan).read(batch) for name in ("one", "two")]
        assert files[0] == files[1] == in_memory.contents(batch)


@pytest.mark.parametrize("sees", ["model", "transcript"])
def test_what_is_stored_tells_what_was_observed(sees):
    """Statistics of what a file holds are those of the run itself, to the last bit."""
    plan = plan_of(FitMechanism(ch.SVD(2, random_state=0), sees=sees), databases=4)
    samples = sample(plan)
    records = samples.records()
    for row in range(len(records.target)):
        database = plan.database(int(records.database[row]))
        seen = plan.mechanism(plan.counts[database.rows], database.seed)
        document = plan.documents[records.target[row]]
        assert records.present[row] == (TARGETS[records.target[row]] in database.rows)
        values = [STATISTICS[name](seen, document) for name in samples.statistics]
        assert values == records.values[row].tolist()


def test_values_alone_may_be_kept():
    whole = plan_of(NoisySums(deviation=0.3), databases=10)
    names = ("low_bits", "mean_projection")
    values = sample(replace(whole, values_of=names))
    assert values.statistics == list(names)
    observables = sample(whole)
    for name in names:
        for one, other in zip(values.arms(name, 1), observables.arms(name, 1), strict=True):
            np.testing.assert_array_equal(one, other)
    assert len(values.contents(0)) < len(observables.contents(0))
    with pytest.raises(InputError, match="can't tell 'change_max', for which other things"):
        values.records(["change_max"])


def test_a_cost_is_estimated_from_a_few_fits():
    plan = plan_of(NoisySums(deviation=0.3), databases=50)
    one, two = (estimate_cost(plan, n_jobs=jobs, trials=2) for jobs in (1, 2))
    assert one.databases == 50
    assert one.seconds == pytest.approx(one.seconds_each * 50)
    assert two.seconds == pytest.approx(two.seconds_each * 25)
    stored = sum(len(sample(plan).contents(batch)) for batch in range(plan.batches))
    assert one.bytes == pytest.approx(stored, rel=0.3)


def test_bad_folders_and_files_are_told_in_one_sentence(tmp_path):
    plan = plan_of(Constant(), databases=4)
    samples = sample(plan, tmp_path)
    with pytest.raises(FileError, match=r"another plan: 'seed' differ; choose another folder"):
        sample(replace(plan, seed=1), tmp_path)
    with pytest.raises(FileError, match="another plan: 'mechanism' differ"):
        sample(plan_of(NoisySums(), databases=4), tmp_path)
    with pytest.raises(FileError, match="'corpus' differ"):
        sample(replace(plan, counts=bags(seed=1)), tmp_path)
    with pytest.raises(FileError, match="belongs to another plan"):
        read_arrays(samples.contents(0), replace(plan, seed=1).digest)
    content = bytearray(samples.contents(0))
    content[len(content) // 3] ^= 1
    with pytest.raises(FileError, match="remove it, and it will be made again"):
        read_arrays(bytes(content), plan.digest)
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(FileError, match="isn't a plan"):
        sample(plan, tmp_path)
    with pytest.raises(InputError, match="corpus of 60 documents, and this one has 5"):
        Plan(Constant(), bags(5), plan.design)
    with pytest.raises(InputError, match="no statistic 'x'"):
        replace(plan, values_of=("x",))


def test_nothing_in_a_file_can_run_code(tmp_path):
    plan = plan_of(Constant(), databases=4)
    with (tmp_path / "evil.npz").open("wb") as file:
        np.savez(file, plan=np.array([print], dtype=object))
    with pytest.raises(FileError, match="can't be read"):
        read_arrays((tmp_path / "evil.npz").read_bytes(), plan.digest)
