import contextlib
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.elsewhere.files import read_topics
from tests.measures.elsewhere.test_anything import TEXTS, TOPICS, WORDS


def written(folder, name, content):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8")
    return path


def test_a_model_folder(tmp_path):
    model = ch.fit("nmf", TEXTS, n_components=2, random_state=0)
    model.save(tmp_path / "m")
    subject = read_topics(tmp_path / "m")
    assert (subject.topics == as_subject(model).topics).all()
    assert subject.name == "m"
    with pytest.raises(InputError):
        read_topics(tmp_path)


def test_words_a_line(tmp_path):
    path = written(tmp_path, "t.txt", "\ufeffcats purr  sleep\r\n\r\nNew York, dogs , bark,\r\n")
    subject = as_subject(path)
    assert subject.top_words(9) == [["cats", "purr", "sleep"], ["New York", "dogs", "bark"]]
    assert subject.name == "t"


def test_mallets_weights(tmp_path):
    """As MALLET writes them: every word in every topic, and beta in every weight."""
    lines = ["0\tcats\t3.01", "0\tnull\t0.01", "0\t2019\t1.01", "0\t\"\t0.01",
             "1\tcats\t0.01", "1\tnull\t2.01", "1\t2019\t0.01", "1\t\"\t0.01"]  # fmt: skip
    subject = read_topics(written(tmp_path, "weights.txt", "\n".join(lines) + "\n"))
    place = subject.vocabulary.tolist().index
    assert subject.distributions[0, place("cats")] == pytest.approx(3.01 / 4.04)
    assert subject.distributions[1, place("null")] == pytest.approx(2.01 / 2.04)
    assert subject.top_words(1) == [["cats"], ["null"]]


def test_mallets_keys(tmp_path):
    keys = "1\t0.75\tdogs bark \n0\t0,25\tcats purr sleep \n2\t1\t\n"
    subject = read_topics(written(tmp_path, "keys.txt", keys))
    assert subject.top_words(9) == [["cats", "purr", "sleep"], ["dogs", "bark"], []]
    assert subject.shares.tolist() == [0.125, 0.375, 0.5]


def test_json_of_lists_and_of_octis(tmp_path):
    lists = written(tmp_path, "a.json", json.dumps([["cats", "purr"], ["dogs"]]))
    assert read_topics(lists).top_words(2) == [["cats", "purr"], ["dogs"]]
    output = {"topics": [["cats"], ["dogs"]], "topic-word-matrix": TOPICS.tolist()}
    octis = written(tmp_path, "b.json", json.dumps(output))
    assert read_topics(octis).topics is None
    assert read_topics(octis, vocabulary=WORDS).distributions[0, 0] == 0.75


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_tables(tmp_path, index, separator):
    path = tmp_path / ("t.csv" if separator == "," else "t.tsv")
    pd.DataFrame(TOPICS, columns=WORDS).to_csv(path, index=index, sep=separator)
    subject = read_topics(path)
    assert subject.vocabulary.tolist() == WORDS
    assert subject.distributions[0].tolist() == [0.75, 0, 0.25, 0]


def test_arrays_in_files(tmp_path):
    np.savez(tmp_path / "a.npz", topics=TOPICS, vocabulary=np.array(WORDS))
    np.save(tmp_path / "b.npy", TOPICS)
    for name in ("a.npz", "b.npy"):
        given = {"vocabulary": WORDS} if name == "b.npy" else {}
        assert read_topics(tmp_path / name, **given).distributions[0, 0] == 0.75
    with pytest.raises(InputError, match=r"b\.vocab\.txt"):
        read_topics(tmp_path / "b.npy")
    written(tmp_path, "b.vocab.txt", "\n".join(WORDS) + "\n")
    assert read_topics(tmp_path / "b.npy").vocabulary.tolist() == WORDS


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


HUGE = npy(np.ones((2, 4))).replace(b"(2, 4)", b"(9999999,99999)")


OBJECTS = npy(np.array([{}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", "", "empty"),
        ("a.txt", " \n\n", "empty"),
        ("a.txt", b"\xff\xfe\x00\x01", "UTF-8 at byte 0"),
        ("a.txt", "a\0b c", "no text has"),
        ("a.txt", "cats cats\n", "same word twice, as its words 1 and 2"),
        ("a.gz", b"no gzip", "gzip"),
        ("w.txt", "0\tcats\t1\n2\tdogs\t1\n", "numbered"),
        ("w.txt", "0\tcats\t1\n0\tcats\t1\n", "same word twice"),
        ("w.txt", "0\tcats\t1\nnonsense\n", "separated by tabs"),
        ("w.txt", "0\tcats\t1\n99999999999999999999\tdogs\t1\n", "separated by tabs"),
        ("w.txt", "0\tcats\t1\n0\tdogs\t-1\n", "negative"),
        ("w.txt", "0\tcats\t1\n0\tdogs\tnan\n", "separated by tabs|finite"),
        ("k.txt", "0\t1\tcats\n0\t1\tdogs\n", "same topic twice"),
        ("k.txt", "0\t1\tcats\n1\tx\tdogs\n", "alpha"),
        ("k.txt", "0\t1\tcats\n1 dogs\n", "separated by tabs"),
        ("a.json", "{", "isn't JSON at line 1"),
        ("a.json", "[" * 100_000, "isn't JSON"),
        ("a.json", "3", "neither"),
        ("a.json", '{"topics": 3}', "topic-word-matrix"),
        ("a.json", "[[1, 2], [3]]", "isn't a word"),
        ("a.json", '[["\\ud800"]]', "half a character"),
        ("a.json", '{"topic-word-matrix": [[1e999]], "vocabulary": ["a"]}', "finite"),
        ("a.json", '{"topic-word-matrix": [["1", "2"]], "vocabulary": ["a", "b"]}', "numbers only"),
        ("a.json", '{"topic-word-matrix": [[1, "2"]], "vocabulary": ["a", "b"]}', "numbers only"),
        ("a.json", '{"topic-word-matrix": [[1, null]], "vocabulary": ["a", "b"]}', "numbers only"),
        ("a.json", json.dumps([["cats", "x" * 2_000_000]]), "2,000,000 characters"),
        ("a.csv", "a,b\n", "a header of words"),
        ("a.csv", "a,b\n1\n", "row 1 has 1 numbers"),
        ("a.csv", "a,b\n1,x\n", "isn't a number"),
        ("a.csv", "a,a\n1,2\n", "same word twice"),
        ("a.csv", 'a,"' + "x" * 200_000 + '"\n1,2\n', "isn't a table"),
        ("a.npy", npy(TOPICS), "words are needed"),
        ("a.npz", b"no zip", "damaged"),
        ("a.npz", zipped(topics=npy(TOPICS)), "'vocabulary'"),
        ("a.npz", zipped(topics=npy(TOPICS), vocabulary=npy(np.arange(4))), "strings"),
        ("a.npz", zipped(topics=npy(TOPICS), vocabulary=OBJECTS), "could run"),
        ("a.npz", zipped(topics=HUGE, vocabulary=npy(np.array(WORDS))), "more than it holds"),
        ("a.npz", zipped(topics=b"junk", vocabulary=npy(np.array(WORDS))), "damaged"),
    ],
)
def test_hostile_files_are_refused_by_name(tmp_path, name, content, said):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError, match=said) as error:
        read_topics(path)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 400 + len(str(path))


def test_text_has_less_room_than_arrays(tmp_path):
    for name in ("a.txt", "a.json", "a.csv"):
        with (tmp_path / name).open("wb") as file:
            file.truncate((1 << 28) + 1)  # a hole: it takes no room on the disk
        with pytest.raises(InputError, match=r"larger than 268,435,456 bytes.*\.npz"):
            read_topics(tmp_path / name)
    with (tmp_path / "a.npz").open("wb") as file:
        file.truncate((1 << 28) + 1)
    with pytest.raises(InputError, match="damaged"):
        read_topics(tmp_path / "a.npz")


def test_what_isnt_there_is_said(tmp_path):
    with pytest.raises(InputError, match="doesn't exist"):
        read_topics(tmp_path / "none.txt")


def test_damaged_files_never_raise_anything_else(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "x.npz", topics=TOPICS, vocabulary=np.array(WORDS))
    good = {
        "a.npz": (tmp_path / "x.npz").read_bytes(),
        "a.json": json.dumps({"topics": [["a"]], "topic-word-matrix": [[1.5]]}).encode(),
        "a.csv": b"a,b\n1,2\n3,4\n",
        "w.txt": b"0\tcats\t1\n1\tcats\t2.5\n",
        "k.txt": b"0\t0.5\tcats dogs \n1\t0.2\tbark \n",
    }
    for name, content in good.items():
        for _ in range(60):
            hurt = bytearray(content)
            for place in rng.integers(0, len(hurt), rng.integers(1, 6)):
                hurt[place] = rng.integers(0, 256)
            path = written(tmp_path, name, bytes(hurt[: rng.integers(1, len(hurt) + 1)]))
            with contextlib.suppress(InputError):
                assert read_topics(path).n_topics >= 1
