"""Which columns are taken for the text when nobody says: judged by contents, then by names."""

import random
import re
import warnings

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.corpus import read_baskets, read_corpus
from chatham.corpus.readers.columns import take_apart
from chatham.corpus.readers.guessing import evidence
from chatham.corpus.readers.opening import opened
from chatham.corpus.readers.sources import Reading
from chatham.errors import InputError
from chatham.federation.words.rules import WordRules
from tests.corpus.messy import NOT_TEXT, Messy, Writer, messy
from tests.corpus.test_hostile import outcome

N_FILES = 200
HEADER_LOST = ("bytes", "latin")
"""Damage that may have changed the names themselves, or the header, without which no row fits."""
LEAST_RIGHT = 0.95

PROSE = [
    "The river rose during the night and flooded the fields near the village.",
    "Bees remember the colours of flowers for several days, as scientists found.",
    "Prices of wheat fell, although the harvest was smaller than expected.",
] * 7
TITLES = ["The river is rising again", "What do bees remember?", "Cheap wheat, poor harvest"]


def numbered(texts):
    """The texts made different, as three of them would otherwise come again and again."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    return [f"{text} So {words[i % 8]} and {words[i // 8]}." for i, text in enumerate(texts)]


def guessed(frame):
    """The columns that are the text."""
    if not isinstance(frame, pd.DataFrame):
        frame = pd.DataFrame(frame)
    left = set(take_apart(frame, None, None, None, needs_text=True).metadata)
    return [name for name in frame if name not in left | {"id", "label"}]


def of_file(path, **how):
    """The columns that are the text of a file; none if nothing in it looks like text."""
    table = opened(path, Reading(**how))
    try:
        return guessed(table.frame)
    except InputError as error:
        return [] if "No column looks like text; the columns are" in str(error) else ["an error"]


def right(file: Messy, folder, **how) -> bool:
    path = folder / file.name
    path.write_bytes(file.content)
    try:
        return file.is_right(of_file(path, **how))
    except InputError:
        return False


def test_the_text_of_messy_files_is_found(tmp_path):
    files = [file for file in map(messy, range(N_FILES)) if not file.damage]
    assert len(files) > 0.7 * N_FILES
    share = sum(right(file, tmp_path) for file in files) / len(files)
    assert share >= LEAST_RIGHT, share


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_no_messy_file_ends_in_anything_but_a_corpus_or_a_sentence(seed, tmp_path_factory):
    file = messy(seed)
    path = tmp_path_factory.mktemp("messy") / file.name
    path.write_bytes(file.content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scripts without spaces
        assert outcome(path) in ("read", "refused")


@pytest.mark.parametrize("kind", sorted(NOT_TEXT))
def test_what_is_no_text_is_never_taken_even_under_the_name_of_text(kind):
    w = Writer(random.Random(0), "en")
    column = [NOT_TEXT[kind](w) for _ in range(60)]
    frame = {"permalink": numbered(PROSE * 3)[:60], "text": column}
    assert guessed(frame) == ["permalink"]
    if kind in ("author", "authors", "address", "tags"):
        return  # words all the same, and called text: there is nothing better
    with pytest.raises(InputError, match="No column looks like text; the columns are 'text' "):
        guessed({"text": column})


def test_the_text_of_damaged_files_is_found_in_the_rows_that_can_be_read(tmp_path):
    files = [file for file in map(messy, range(2 * N_FILES)) if file.damage]
    whole = [file for file in files if file.damage not in HEADER_LOST]
    assert len(whole) > 0.1 * N_FILES
    assert {file.damage for file in whole} == {"cut", "field", "quote"}
    share = sum(right(file, tmp_path, skip_bad_rows=True) for file in whole) / len(whole)
    assert share >= LEAST_RIGHT, share


def test_nothing_but_addresses_and_dates_is_refused_in_one_sentence():
    frame = {
        "permalink": [f"https://example.org/a-long-way-to-tea/{n}" for n in range(30)],
        "when": [f"{n % 28 + 1} February 2017" for n in range(30)],
        "n": range(30),
        "desk": ["world news", "sports and games"] * 15,
    }
    with pytest.raises(InputError) as caught:
        guessed(frame)
    assert str(caught.value) == (
        "No column looks like text; the columns are 'permalink' (addresses), 'when' (numbers, "
        "dates or codes), 'n', 'desk' (labels): pass text= with the name of one that does."
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("title", "body"), ["title", "body"]),
        (("headline", "col2"), ["headline", "col2"]),
        (("Título", "contenido"), ["Título", "contenido"]),
        (("标题", "正文"), ["标题", "正文"]),
        (("articleTitle", "article_text"), ["articleTitle", "article_text"]),
        (("first", "second"), ["second"]),
    ],
)
def test_a_title_is_joined_with_its_body(names, expected):
    title, body = names
    heads = [text.replace(" So", "") for text in numbered(TITLES * 7)]
    frame = {title: heads, "year": range(21), body: numbered(PROSE)}
    assert guessed(frame) == expected


def test_joining_is_said_and_leaves_a_paragraph_between_them():
    frame = pd.DataFrame({"title": TITLES, "text": PROSE[:3]})
    corpus = read_corpus(frame)
    assert corpus.texts[1] == f"{TITLES[1]}\n\n{PROSE[1]}"
    assert (
        "The text is the column 'title' joined with the column 'text', a guess; pass text= to "
        "choose others."
    ) in corpus.notes


def test_a_title_that_the_body_begins_with_counts_once():
    bodies = [f"{title}\n\n{text}" for title, text in zip(TITLES, PROSE, strict=False)]
    assert guessed({"title": TITLES, "text": bodies}) == ["text"]


def test_a_title_of_labels_or_people_is_not_joined():
    body = numbered(PROSE)
    assert guessed({"title": ["Dr", "Ms", "Mr"] * 7, "text": body}) == ["text"]
    assert guessed({"title": ["Ana Silva", "Tom Chen", "Wei Rossi"] * 7, "text": body}) == ["text"]


def test_titles_of_a_word_are_joined_where_both_names_say_what_they_are():
    titles = [f"{word.capitalize()}" for text in numbered(PROSE) for word in text.split()[-1:]]
    titles = [f"{title[:-1]}{chr(97 + n)}" for n, title in enumerate(titles)]
    assert guessed({"title": titles, "lyrics_text": numbered(PROSE)}) == ["title", "lyrics_text"]
    assert guessed({"title": titles, "x": numbered(PROSE)}) == ["x"]


def test_a_beginning_gives_way_to_the_whole():
    whole = numbered(PROSE)
    assert guessed({"text": [text[:30] for text in whole], "more": whole}) == ["more"]


def test_a_column_called_text_is_preferred_to_a_longer_one():
    longer = [f"{one} {other}" for one, other in zip(numbered(PROSE), PROSE[::-1], strict=True)]
    assert guessed({"remarks_by_editors": longer, "text": numbered(PROSE[::-1])}) == ["text"]


def test_what_every_row_repeats_is_not_the_text():
    notice = " ".join(PROSE[:3]) * 5
    assert guessed({"text": [notice] * 21, "x": numbered(PROSE)}) == ["x"]


def test_in_a_small_table_too_a_notice_is_not_the_text():
    texts = [" ".join(text.split()[:4]) for text in PROSE[:3]]
    assert guessed({"notice": [" ".join(PROSE[:3])] * 3, "x": texts}) == ["x"]


def test_texts_whose_marks_stand_by_themselves_are_texts():
    """As programs write them that have split words already."""
    split = [re.sub(r"([.,])", r" \1 ; - / : ( ) !", text) for text in numbered(PROSE)]
    assert guessed({"title": TITLES * 7, "abstract": split})[-1] == "abstract"
    assert guessed({"x": split}) == ["x"]
    assert guessed({"x": [f"{text} \U0001f600 \U0001f600 !!" for text in TITLES]}) == ["x"]
    marks = [f"{n * 7919} , {n} ; - ( {n} )" for n in range(21)]
    assert guessed({"text": marks, "x": numbered(PROSE)}) == ["x"]


def test_texts_in_capitals_are_texts():
    shouted = [f"{text.upper()} A CASE, I SAY" for text in numbered(PROSE)]
    heads = [text.replace(" So", "") for text in numbered(TITLES * 7)]
    assert guessed({"title": heads, "col3": shouted}) == ["title", "col3"]
    assert evidence("x", pd.Series(shouted)).prose == 1.0


def test_a_title_alone_gives_way_to_a_longer_text_without_a_name():
    heads = [f"{text} {other}" for text, other in zip(TITLES, TITLES[1:] + TITLES, strict=False)]
    assert guessed({"title": heads, "col3": PROSE[:3]}) == ["title", "col3"]
    people = ["Ana Silva, Tom Chen, Wei Rossi, Lars Novak, Yuki Tanaka, Ivan Dubois"] * 2
    places = ["Department of Physics, University of Leeds, Leeds, Great Britain"] * 2
    where = [f"{place}, {who}" for place, who in zip(places, "AB", strict=True)]
    frame = {"title": TITLES[:2], "by": [f"{people[0]}, {who}" for who in "AB"], "where": where}
    assert guessed(frame) == ["title"]


@pytest.mark.parametrize(
    "text",
    [
        "医生说在森林里散步对心脏有好处。",
        "夜の間に川の水が増え、畑が水につかった。",
        "หมอบอกว่าการเดินในป่าดีต่อหัวใจ",
    ],
)
def test_scripts_without_spaces_are_text_and_their_dates_are_not(text):
    rows = [f"{text[n % 9 :]}{text[: n % 7]}" for n in range(21)]
    dates = [f"201{n % 9}年2月{n + 1}日" for n in range(21)]
    assert guessed({"text": dates, "url": [f"http://x.org/{text}{n}" for n in range(21)],
                    "col3": rows}) == ["col3"]  # fmt: skip


def test_ids_and_labels_that_are_running_text_are_the_text():
    frame = pd.DataFrame({"id": numbered(PROSE), "label": range(21), "n": range(21)})
    corpus = read_corpus(frame)
    assert corpus.texts == frame["id"].tolist()
    assert corpus.ids.tolist() == [str(row) for row in range(21)]
    assert any("'id' holds running text" in note for note in corpus.notes)
    frame = pd.DataFrame({"id": range(21), "label": numbered(PROSE)})
    assert read_corpus(frame).labels is None
    assert read_corpus(frame).texts == frame["label"].tolist()


def test_an_id_of_600_characters_is_no_id():
    ids = [f"https://example.org/{'q' * 600}/{n}" for n in range(3)]
    corpus = read_corpus(pd.DataFrame({"id": ids, "text": PROSE[:3]}))
    assert corpus.ids.tolist() == ["0", "1", "2"]
    assert any("'id' holds values of more than 500 characters" in note for note in corpus.notes)


def test_a_sparse_column_is_judged_by_what_it_holds():
    rows = ["" for _ in range(5000)]
    rows[4321:4342] = numbered(PROSE)
    assert guessed({"code": ["AB-12"] * 5000, "x": rows}) == ["x"]


STARS = pd.DataFrame(
    {"userId": [1, 1, 2, 2, 3], "movieId": [7, 8, 7, 9, 8], "rating": [5, 3, 4, 2, 1]}
)


def test_a_table_of_ratings_is_read_as_baskets_and_that_is_said():
    corpus = read_corpus(STARS.assign(timestamp=range(5)))
    right = read_baskets(STARS, basket="userId", item="movieId", rating="rating")
    assert corpus.counts.toarray().tolist() == right.counts.toarray().tolist()
    assert corpus.vocabulary.tolist() == right.vocabulary.tolist()
    assert corpus.notes[0] == (
        "No column looks like text, so items of the column 'movieId' are counted for each "
        "'userId', by 'rating', a guess; read_baskets takes other columns."
    )
    again = read_corpus(STARS, vocabulary=["9", "7"])
    assert again.counts.toarray().tolist() == [[0, 10], [4, 8], [0, 0]]


@pytest.mark.parametrize(
    "frame",
    [
        STARS.rename(columns={"userId": "year"}),
        STARS.assign(userId=range(5)),
        STARS.assign(rating="good"),
        STARS.assign(movie=1),
        pd.DataFrame({"user": [[1], [1]], "item": [1, 1]}),
    ],
)
def test_other_tables_of_numbers_are_not_taken_for_baskets(frame):
    with pytest.raises(InputError, match="No column looks like text"):
        read_corpus(frame)


def test_reviews_are_read_as_texts_even_beside_users_and_items():
    frame = STARS.assign(review=PROSE[:5])
    assert read_corpus(frame).texts == PROSE[:5]


def test_a_session_about_words_does_not_take_ratings():
    with pytest.raises(InputError, match="This session is about words in texts, and nothing here"):
        WordRules().read(STARS, {})
