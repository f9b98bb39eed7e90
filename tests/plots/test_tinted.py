"""A document in colours: nothing of the text is markup, colours are those of the legend."""

import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest

from chatham.documents.tinting import tinted
from chatham.errors import InputError
from chatham.plots import document
from chatham.plots.tinted import OTHERS, TOPIC_COLOURS, html_of

TOPICS = np.array([[0.6, 0.4, 0.0], [0.0, 0.2, 0.8]])
WORDS = ["tea", "milk", "rain"]
HOSTILE = (
    "<script>alert(\"tea\")</script> & 'rain' </div><img src=x onerror=milk> \u202e\x00 $x^2$\n"
)


class Read(HTMLParser):
    """Which elements a page has, and the text in the one of the document."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.depth = set(), [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "div":
            self.depth.append(dict(attributes)["class"])
        assert not any(name.startswith("on") for name, _ in attributes)

    def handle_endtag(self, tag):
        if tag == "div":
            self.depth.pop()

    def handle_data(self, data):
        if self.depth[-1:] == ["text"]:
            self.texts.append(data)


def test_hostile_text_is_shown_and_never_markup():
    drawn = document(TOPICS, HOSTILE, title="</title><script>", vocabulary=WORDS)
    for html in (drawn.page(), drawn._repr_html_(), html_of(drawn.document)):
        read = Read(html)
        assert read.tags <= {"html", "head", "meta", "title", "body", "div", "style", "p", "b",
                             "ul", "li", "span"}  # fmt: skip
        assert "".join(read.texts) == HOSTILE.replace("\u202e", "\ufffd").replace("\0", "\ufffd")


def test_words_that_are_hostile_names_of_topics_are_escaped_too():
    words = ["tea", "<b>milk", "rain"]
    html = document(TOPICS, ["tea", "<b>milk", "tea"], vocabulary=words).page()
    assert "<b>milk" not in html
    assert "&lt;b&gt;milk" in html


def test_each_word_has_the_colour_of_its_topic_in_the_legend():
    drawn = document(TOPICS, "tea tea milk rain", vocabulary=WORDS)
    assert [colour for _, _, colour in drawn.legend()] == list(TOPIC_COLOURS[:2])
    html = drawn._repr_html_()
    shown = re.findall(r'border-color:(#\w+)" title="(\d+)[^"]*">(\w+)<', html)
    assert shown == [(TOPIC_COLOURS[int(t)], t, w) for t, w in
                     [("0", "tea"), ("0", "tea"), ("0", "milk"), ("1", "rain")]]  # fmt: skip
    chosen = document(TOPICS, "tea rain", topics=[1], vocabulary=WORDS)
    assert [colour for _, _, colour in chosen.legend()] == [TOPIC_COLOURS[0], OTHERS]


def test_more_topics_than_colours_are_grey_together():
    words = [f"w{letter}" for letter in "abcdefghij"]
    drawn = document(np.eye(10), " ".join(words), vocabulary=words)
    *_, (name, share, colour) = drawn.legend()
    assert (name, share, colour) == ("4 other topics", "40%", OTHERS)
    with pytest.raises(InputError, match="give up to 6"):
        document(np.eye(10), "wa", topics=range(7), vocabulary=words)
    with pytest.raises(InputError, match="There is no topic 10"):
        document(np.eye(10), "wa", topics=[10], vocabulary=words)


def test_files_are_the_same_bytes_every_time(tmp_path):
    warnings.simplefilter("error")  # also of letters that the font hasn't
    text = "Tea, milk.\n" * 30 + "茶\n" + "Tea, milk.\n" * 60 + HOSTILE + "long" * 60 + " 茶" * 40
    for ending in ("html", "svg", "png", "pdf"):
        paths = [tmp_path / f"{number}.{ending}" for number in range(2)]
        for path in paths:
            document(TOPICS, text, title="A document", vocabulary=WORDS).save(path)
        assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(InputError, match=r"must end in one of \.html"):
        document(TOPICS, text, vocabulary=WORDS).save(tmp_path / "document.xls")


def test_a_figure_has_all_letters_in_lines_that_fit(tmp_path):
    text = "Tea and milk, " * 30 + "\n\nrain"
    figure = document(TOPICS, text, vocabulary=WORDS).figure()
    (axes,) = figure.axes
    written = [each.get_text() for each in axes.texts]
    assert "".join(written).replace(" ", "").endswith(text.replace(" ", "").replace("\n", ""))
    assert all(each.get_position()[0] < figure.get_size_inches()[0] for each in axes.texts)


def test_documents_without_a_known_word():
    for text in ("", "nothing", " \n "):
        drawn = document(TOPICS, text, vocabulary=WORDS)
        assert "No word of it is in the model" in drawn.page()
        assert drawn.figure() is not None
    assert repr(document(TOPICS, "tea", vocabulary=WORDS)) == repr(tinted(TOPICS, "tea", WORDS))
