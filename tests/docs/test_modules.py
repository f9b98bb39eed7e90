"""CONTRIBUTING's map of the modules is the tree's."""

import tomllib

from tests.docs.modules import PACKAGE, PAGE, ROOMS, ROOT, module_map, page


def test_the_map_is_the_tree():
    wrong = "make it anew with: python -m tests.docs.modules --write"
    assert page() == PAGE.read_text("utf-8"), wrong


def test_every_module_is_on_it_once():
    rows = [row.split("|")[1:4] for row in module_map().splitlines()[2:]]
    listed = [
        f"{folder.strip(' `')}/{name.strip(' `')}".removeprefix("chatham/")
        for folder, _, names in rows
        for name in names.split(",")
        if name.strip()
    ]
    tree = [
        path.relative_to(PACKAGE).with_suffix("").as_posix()
        for path in PACKAGE.rglob("*.py")
        if not path.stem.startswith("__")
    ]
    assert sorted(listed) == sorted(tree)
    assert all(what.strip() for _, what, _ in rows)


def test_the_rooms_stand_as_the_import_contract_has_them():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    contract = [room.strip() for layer in reversed(layers) for room in layer.split("|")]
    rooms = [room for room in contract if (PACKAGE / room).is_dir()]
    assert sorted(rooms[:2]) == ["commons", "numerics"]
    assert list(ROOMS[3:]) == rooms[2:]
