import numpy as np
import pandas as pd
import pytest

from chatham.errors import InputError
from chatham.measures.intrusion.answers import choice_of
from chatham.measures.intrusion.tasks import word_intrusion
from tests.measures.intrusion.test_tasks import PETS, intruders


def test_model_precision_by_hand():
    task = word_intrusion(PETS, n_words=3)
    right = {q.id: str(k.intruder + 1) for q, k in zip(task.questions, task.key, strict=True)}
    first, second, third = (q.id for q in task.questions)
    wrong = str(task.key[0].intruder % 4 + 2 if task.key[0].intruder < 3 else 1)
    assert wrong != right[first]
    answers = pd.DataFrame(
        [
            (first, right[first], "ann"), (first, right[first], "bob"), (first, wrong, "cy"),
            (second, right[second].upper(), "ann"), (second, "", "bob"),
            (third, None, "ann"),
        ],
        columns=["question", "answer", "rater"],
    )  # fmt: skip
    score = task.score(answers)
    # First question: 2 of 3 right, 1 of 3 pairs alike. Second: 1 of 1, no pair. Third: none.
    assert score.precision == pytest.approx(3 / 4)
    assert (score.right, score.answered, score.unanswered, score.raters) == (3, 4, 5, 3)
    assert score.agreement == pytest.approx(1 / 3)
    assert score.chance == 1 / 4
    expected = {task.key[0].topic: 2 / 3, task.key[1].topic: 1.0, task.key[2].topic: None}
    assert score.per_topic == tuple(expected[topic] for topic in range(3))
    assert score.log_odds is None


def test_one_rater_has_nobody_to_agree_with():
    task = word_intrusion(PETS, n_words=3)
    score = task.score(dict(zip([q.id for q in task.questions], intruders(task), strict=True)))
    assert (score.precision, score.agreement, score.raters) == (1.0, None, 1)
    assert score.per_topic == (1.0, 1.0, 1.0)


def test_a_file_goes_out_and_comes_back(tmp_path):
    task = word_intrusion(PETS, n_words=3)
    task.write(tmp_path / "q.csv")
    lines = (tmp_path / "q.csv").read_text().splitlines()
    assert lines[0] == "question,option_1,option_2,option_3,option_4,answer"
    filled = [line + str(k.intruder + 1) for line, k in zip(lines[1:], task.key, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join([lines[0], *filled]) + "\n")
    assert task.score(tmp_path / "a.csv").precision == 1.0
    # As a spreadsheet elsewhere would save it.
    semicolons = "\n".join([lines[0], *filled]).replace(",", ";").replace("answer", "Answer ")
    (tmp_path / "b.csv").write_text("\ufeff" + semicolons + "\n", encoding="utf-8")
    both = task.score([tmp_path / "a.csv", str(tmp_path / "b.csv")])
    assert (both.raters, both.precision, both.agreement) == (2, 1.0, 1.0)


def test_tables_with_gaps_turn_numbers_into_fractions():
    task = word_intrusion(PETS, n_words=3)
    ids = [question.id for question in task.questions]
    answers = pd.DataFrame({"question": ids, "answer": [task.key[0].intruder + 1.0, np.nan, None]})
    score = task.score(answers)
    assert (score.precision, score.answered, score.unanswered) == (1.0, 1, 2)


def test_an_answer_is_a_number_first_and_then_a_word():
    assert choice_of("3", ["3", "4", "5"]) == 2
    assert choice_of("2016", ["tea", "2016"]) == 1
    assert choice_of("TEA", ["tea", "milk"]) == 0
    assert choice_of("Tea", ["tea", "Tea"]) == 1
    with pytest.raises(InputError, match="fits several options"):
        choice_of("TEA", ["tea", "Tea"])


SECRET = "my private letter"


BAD_ANSWERS = [
    ("question,answer\nFIRST,5\n", "Row 1 .*number from 1 to 4"),
    ("question,answer\nFIRST,0\n", "Row 1 .*number from 1 to 4"),
    ("question,answer\nFIRST,-1\n", "Row 1 .*number from 1 to 4"),
    ("question,answer\nFIRST,1.5\n", "Row 1 .*number from 1 to 4"),
    (f"question,answer\nFIRST,{'9' * 5000}\n", "Row 1 .*number from 1 to 4"),
    (f"question,answer\nFIRST,1\nSECOND,{SECRET}\n", "Row 2 .*number from 1 to 4"),
    (f"question,answer\n{SECRET},1\n", "Row 1 .*no question of that name"),
    ("question,answer\nw1-000000,1\n", "Row 1 .*no question 'w1-000000'"),
    (",answer\n,1\n", "columns 'question' and 'answer'"),
    ("question,answer\nFIRST,1\nFIRST,1\n", "Row 2 .*already, in row 1"),
    ("question,answer,rater\nFIRST,1,a\nFIRST,1,b\nFIRST,2,a\n", "Row 3 .*already, in row 1"),
    (f"{SECRET},b\nFIRST,1\n", "columns 'question' and 'answer'"),
    ("question,Answer,answer\nFIRST,1,2\n", "'answer' twice"),
    ("question,answer\n", "no rows"),
    ("question,answer\nFIRST,\n", "No question is answered"),
    ("", "is empty"),
    ("\n \n", "is empty"),
    ("question,answer\nFIRST,1,2\n", "line 2"),
]


@pytest.mark.parametrize(("content", "rule"), BAD_ANSWERS)
def test_bad_answers_are_named_by_row_and_rule(tmp_path, content, rule):
    task = word_intrusion(PETS, n_words=3)
    first, second = task.questions[0].id, task.questions[1].id
    path = tmp_path / "a.csv"
    path.write_text(content.replace("FIRST", first).replace("SECOND", second))
    with pytest.raises(InputError, match=rule) as refused:
        task.score(path)
    assert SECRET not in str(refused.value)


def test_answers_to_another_task_are_noticed():
    task, other = (word_intrusion(PETS, n_words=3, random_state=seed) for seed in (0, 1))
    with pytest.raises(InputError, match="same model, documents, settings and seed"):
        other.score({task.questions[0].id: 1})
    with pytest.raises(InputError, match="same rater"):
        task.score([pd.DataFrame({"question": [task.questions[0].id] * 2, "answer": [1, 1]})])
    with pytest.raises(InputError, match="this int"):
        task.score(3)


FORMULAS = [["=1+1", "+cmd", "-2"], ["@sum", "tea", "milk"], ["'=odd", "jam", "=1"]]


def test_no_cell_of_the_file_is_a_formula_and_answers_find_their_options(tmp_path):
    task = word_intrusion(FORMULAS, n_words=3)
    task.write(tmp_path / "q.csv")
    table = pd.read_csv(tmp_path / "q.csv", dtype=str, keep_default_na=False)
    assert not table.map(lambda cell: cell.startswith(("=", "+", "-", "@"))).any(axis=None)
    for key, options in zip(task.key, table.filter(like="option").to_numpy(), strict=True):
        table.loc[table["option_1"] == options[0], "answer"] = options[key.intruder]
    table.to_csv(tmp_path / "q.csv", index=False)
    assert task.score(tmp_path / "q.csv").precision == 1.0
    shown = {option for question in task.questions for option in question.options}
    assert shown == {word for words in FORMULAS for word in words}


def test_a_file_with_answers_is_not_written_over(tmp_path):
    task = word_intrusion(PETS, n_words=3)
    path = tmp_path / "q.csv"
    for _ in range(2):
        task.write(path)
    table = task.table().assign(answer=["", "1", ""]).rename(columns={"answer": " Answer "})
    table.to_csv(path, index=False)
    with pytest.raises(InputError, match="has answers in it"):
        task.write(path)
    path.write_text("")
    task.write(path)
    assert path.stat().st_size


def test_a_file_of_other_columns_isnt_quoted(tmp_path):
    (tmp_path / "a.tsv").write_text("secret\tletter\nof\tmine\n", "utf-8")
    with pytest.raises(InputError, match="lacks 'question' and 'answer'") as caught:
        word_intrusion(PETS, n_words=3).score(tmp_path / "a.tsv")
    assert "secret" not in str(caught.value)
