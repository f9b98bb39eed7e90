"""The code matches no sentence, and every hole of a sentence is filled: found by reading it."""

import ast
from pathlib import Path
from string import Formatter

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {
    str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8"))
    for path in sorted((ROOT / "src").rglob("*.py"))
}
SEARCHING = {
    "startswith", "endswith", "find", "rfind", "index", "rindex", "count", "replace", "partition",
    "rpartition", "removeprefix", "removesuffix", "translate", "lower", "upper", "casefold",
}  # fmt: skip
NOTES = {"notes", "told"}
CUTTING = {"split", "rsplit", "strip", "lstrip", "rstrip"}
"""Methods that look for something if they are told what; else they only take care of blanks."""


def searches(tree):
    """Where the text of a caught error or of a note is compared, searched or rewritten."""
    errors, notes = caught(tree), loops_over_notes(tree)

    def is_text(node):
        if isinstance(node, ast.Name):
            return node.id in notes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id == "str" and any(is_message(each) for each in node.args)
        if isinstance(node, ast.JoinedStr):
            parts = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
            return any(is_message(each) or is_text(each) for each in parts)
        if isinstance(node, ast.Subscript):
            node = node.value
        return isinstance(node, ast.Attribute) and node.attr == "args" and is_message(node.value)

    def is_message(node):
        name = isinstance(node, ast.Name) and node.id in errors | notes
        return name or (isinstance(node, ast.Attribute) and node.attr == "message")

    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.In | ast.NotIn):
                sides = node.comparators  # whether a note was said already
            if any(map(is_text, sides)):
                yield node.lineno, "is compared"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        method = node.func.attr
        looks = method in SEARCHING or (method in CUTTING and node.args)
        if looks and is_text(node.func.value):
            yield node.lineno, "is searched or rewritten"
        of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        if of_re and any(map(is_text, node.args)):
            yield node.lineno, "is searched"
        if method == "filterwarnings" and (
            len(node.args) > 1 or any(each.arg == "message" for each in node.keywords)
        ):
            yield node.lineno, "is filtered by"


def caught(tree):
    """The names that errors are caught under."""
    handlers = (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler))
    return {node.name for node in handlers if node.name}


def loops_over_notes(tree):
    """The names that notes go by in loops over them."""
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension))
    named = ((each.target, each.iter) for each in loops)
    return {
        target.id
        for target, over in named
        if isinstance(target, ast.Name) and getattr(over, "attr", getattr(over, "id", "")) in NOTES
    }


MATCHED = (
    "if 'already' in str(error): raise",
    "if str(error).startswith('No'): raise",
    "if error.args[0] == 'no': raise",
    "raise InputError(f'{error}'.replace('min_df=', '--min-df '))",
    "raise InputError(str(error).rstrip('.'))",
    "re.search('already', str(error))",
    "said = [note for note in corpus.notes if not note.startswith('Kept')]",
    "said = [note for note in corpus.notes if 'Kept' in note]",
    "warnings.filterwarnings('ignore', message='.*already')",
    "warnings.filterwarnings('ignore', '.*already')",
    "said = {each for each in caught if 'already' in str(each.message)}",
)
UNMATCHED = (
    "raise InputError(f'It failed: {error}') from None",
    "why = ' '.join(str(error).split())",
    "if error.errno in KNOWN and isinstance(error, OSError): raise",
    "said = [note for note in corpus.notes if note.kind != PRUNED and note not in before]",
    "warnings.simplefilter('ignore', ChathamWarning)",
)


def inside(line):
    """A line where an error was caught."""
    return ast.parse(f"try:\n    work()\nexcept ValueError as error:\n    {line}\n")


@pytest.mark.parametrize("line", MATCHED)
def test_what_matches_sentences_is_found(line):
    assert list(searches(inside(line)))


@pytest.mark.parametrize("line", UNMATCHED)
def test_what_does_not_is_not(line):
    assert not list(searches(inside(line)))


def test_no_sentence_is_compared_searched_or_rewritten():
    found = [
        f"{path}:{line}: a sentence {how}"
        for path, tree in SOURCES.items()
        for line, how in searches(tree)
    ]
    assert not found


def templates():
    """Every call of `say`, with where it is."""
    for path, tree in SOURCES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                yield f"{path}:{node.lineno}", node


def parameters():
    """Whatever some function, or some dataclass, takes by name."""
    for tree in SOURCES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                yield node.arg
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id


def test_every_hole_of_a_sentence_is_a_value_or_a_parameter():
    known, number = set(parameters()), 0
    for place, call in templates():
        (template,), values = call.args, {each.arg for each in call.keywords}
        assert isinstance(template, ast.Constant), place  # else a document may have holes
        holes = [name for _, name, _, _ in Formatter().parse(template.value) if name is not None]
        names = {name.partition("=")[0] for name in holes}
        assert values <= names, place
        assert names - values <= known, place
        number += 1
    assert number > 100
