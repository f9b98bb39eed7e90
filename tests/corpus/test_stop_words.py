"""Which stop words are chosen, and what is said about it."""

import warnings

import numpy as np
import pytest

from chatham.corpus import Tokenizer, read_corpus, stop_word_languages
from chatham.corpus.scripts import spaceless_scripts
from chatham.corpus.text.stop_words import (
    ENGLISH_TOPIC_WORDS,
    LANGUAGE_NAMES,
    choose_stop_words,
    detect_language,
    language_stop_words,
)
from chatham.errors import InputError

SENTENCES = {
    "de": "Der Hund läuft in den Wald, weil er dort zu Hause ist und nicht gestört werden will.",
    "fr": "L'homme qui habite dans la maison n'est pas là, mais il reviendra avec ses enfants.",
    "es": "El gobierno anunció ayer que los impuestos no van a subir este año, pero no es verdad.",
    "pt": "O governo anunciou ontem que os impostos não vão subir este ano, mas não é verdade.",
    "sv": "Regeringen meddelade i går att skatterna inte ska höjas i år, men det är inte sant.",
    "ru": "Правительство вчера объявило, что налоги в этом году не будут повышаться.",
    "hi": "सरकार ने कल घोषणा की कि इस साल कर नहीं बढ़ेंगे लेकिन विपक्ष का कहना है कि यह सच नहीं है",
    "en": "The government said yesterday that taxes would not rise, but that is not true.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_language_is_found_by_its_stop_words(code):
    assert detect_language([SENTENCES[code]] * 5, Tokenizer())[0] == code


def test_auto_says_which_language_it_took():
    corpus = read_corpus([SENTENCES["de"]] * 3)
    assert any("German stop words, a guess" in note for note in corpus.notes)
    assert "und" not in corpus.vocabulary
    assert "hund" in corpus.vocabulary


def test_auto_takes_none_from_prepared_words():
    corpus = read_corpus(["entropy gradient manifold", "entropy kernel"])
    assert any("No stop words were left out" in note for note in corpus.notes)


def test_a_few_words_are_of_no_language():
    corpus = read_corpus(["wheat corn", "bank loan"])
    assert "bank" in corpus.vocabulary
    assert any("too little text to guess the language" in note for note in corpus.notes)


def test_a_few_stop_words_in_much_text_are_chance():
    names = [f"entropy kernel{chr(97 + i)} bank bank" for i in range(26)]
    assert detect_language(names, Tokenizer()) is None


def test_short_english_is_still_english_and_a_guess():
    corpus = read_corpus(["Wheat and corn prices rose.", "Rates that banks ask for a loan."])
    assert not {"and", "that", "for"} & set(corpus.vocabulary)
    assert any("English stop words, a guess" in note for note in corpus.notes)


def test_short_german_is_not_taken_for_english():
    assert detect_language([SENTENCES["de"]], Tokenizer()) is None


def test_two_languages_alike_in_strength_are_neither():
    assert detect_language([SENTENCES["de"], SENTENCES["hi"]] * 5, Tokenizer()) is None


def test_a_related_language_does_not_hide_one():
    danish = "Regeringen meddelte i går, at skatterne ikke vil stige i år, men det er ikke sandt."
    assert detect_language([danish] * 5, Tokenizer())[0] in ("da", "no")


def test_counts_say_that_no_stop_words_are_guessed_for_them():
    options = {"vocabulary": ["the", "tea"]}
    guessed = read_corpus(np.ones((2, 2)), **options)
    assert guessed.vocabulary.tolist() == ["the", "tea"]
    assert any("Stop words are guessed for texts only" in note for note in guessed.notes)
    chosen = read_corpus(np.ones((2, 2)), stop_words="en", **options)
    assert chosen.vocabulary.tolist() == ["tea"]
    assert not any("guessed" in note for note in chosen.notes)


def test_every_language_has_a_name_and_words():
    assert set(stop_word_languages()) == set(LANGUAGE_NAMES)
    assert all(language_stop_words(code) for code in stop_word_languages())


def test_english_topic_words_stay_words():
    assert not ENGLISH_TOPIC_WORDS & language_stop_words("en")
    assert {"the", "don", "didn", "hasn", "ve", "ll"} <= language_stop_words("en")


@pytest.mark.parametrize("choice", ["en", "English", " EN "])
def test_languages_go_by_code_or_name(choice):
    assert choose_stop_words(choice, [], Tokenizer()).words == language_stop_words("en")


def test_words_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Tea\n\nMilk\n", encoding="utf-8")
    corpus = read_corpus(["tea with milk and sugar"], stop_words=path)
    assert corpus.vocabulary.tolist() == ["and", "sugar", "with"]


def own_words(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Hund\nWald\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("how", ["written", "listed", "words"])
def test_own_stop_words_add_to_those_of_the_language(how, tmp_path):
    path = own_words(tmp_path)
    choice = {
        "written": f"auto,{path}",
        "listed": ["auto", path],
        "words": ["auto", ["Hund", "Wald"]],
    }[how]
    corpus = read_corpus([SENTENCES["de"]] * 3, stop_words=choice)
    alone = read_corpus([SENTENCES["de"]] * 3)
    assert set(alone.vocabulary) - set(corpus.vocabulary) == {"hund", "wald"}
    (note,) = [note for note in corpus.notes if note.startswith("Left out")]
    assert note.startswith("Left out 2 stop words of ")
    assert " and German stop words, a guess" in note


def test_where_no_language_is_found_own_stop_words_still_count(tmp_path):
    corpus = read_corpus(["entropy kernel", "kernel"], stop_words=["auto", ["kernel"]])
    assert corpus.vocabulary.tolist() == ["entropy"]
    (note,) = [note for note in corpus.notes if note.startswith("Left out")]
    assert "of a list that was given and none of a language: there is too little text" in note


def test_several_languages(tmp_path):
    chosen = choose_stop_words("de, en", [], Tokenizer())
    assert chosen.words == language_stop_words("de") | language_stop_words("en")
    assert chosen.note == "Left out German stop words and English stop words."


def test_a_file_whose_name_has_a_comma_is_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en,de").write_text("tea\n")
    assert choose_stop_words("en,de", [], Tokenizer()).words == {"tea"}


@pytest.mark.parametrize("choice", ["none,en", ["none", ["tea"]], [None, ["tea"]]])
def test_none_stands_alone(choice):
    with pytest.raises(InputError, match="stop_words has none among others"):
        read_corpus(["tea"], stop_words=choice)


def test_a_list_of_strings_is_one_of_words_even_if_it_names_languages():
    assert choose_stop_words(["auto", "en"], [], Tokenizer()).words == {"auto", "en"}


def test_counts_lose_own_stop_words_beside_a_guess():
    counts = np.ones((2, 3))
    corpus = read_corpus(counts, vocabulary=["the", "tea", "foo"], stop_words=["auto", ["foo"]])
    assert corpus.vocabulary.tolist() == ["the", "tea"]
    assert "Stop words are guessed for texts only, and these are counts." in corpus.notes


def test_no_name_of_stop_words_ends_in_anything_but_a_sentence():
    for choice in ("x" * 5000, "a\0b", "auto,,", ","):
        with pytest.raises(InputError, match="neither a language"):
            read_corpus(["tea"], stop_words=choice)


@pytest.mark.parametrize("choice", [None, "none", []])
def test_none_and_an_empty_list_leave_all_words(choice):
    assert "the" in read_corpus(["the tea"], stop_words=choice).vocabulary


def test_unknown_language_suggests_the_nearest():
    with pytest.raises(InputError, match="did you mean 'German'"):
        read_corpus(["tea"], stop_words="Germann")


@pytest.mark.parametrize("choice", [7, [1, 2]])
def test_what_is_no_list_of_words_is_refused(choice):
    with pytest.raises(InputError, match="stop_words must be"):
        read_corpus(["tea"], stop_words=choice)


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("主題模型是一種統計模型", ["Chinese"]),
        ("これはトピックモデルについての文章です", ["Japanese"]),
        ("แบบจำลองหัวข้อ", ["Thai"]),
        ("ຂ້ອຍຮັກເຈົ້າ", ["Lao"]),
        ("ခေါင်းစဉ်ပုံစံ", ["Burmese"]),
        ("គំរូប្រធានបទ", ["Khmer"]),
        ("토픽 모델은 통계 모델이다", []),
        ("A paper on 中 characters in mostly English text, nothing else.", []),
    ],
)
def test_scripts_without_spaces_are_noticed(text, scripts):
    assert spaceless_scripts([text]) == scripts


def test_a_script_without_spaces_is_warned_of():
    with pytest.warns(UserWarning, match="Chinese, which is written without spaces"):
        corpus = read_corpus(["主題模型 統計模型", "統計模型"])
    assert any("Chinese" in note for note in corpus.notes)


def test_no_warning_where_a_tokenizer_is_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = read_corpus(["主題模型", "模型"], tokenizer=list, stop_words=None)
    assert corpus.vocabulary.tolist() == sorted("主題模型")
