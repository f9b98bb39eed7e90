"""The documentation says what the commands say."""

import re
from pathlib import Path

import pytest

from chatham.cli.app import COMMANDS, arguments_of, command_named, usage_of
from chatham.cli.reference import help_of, reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def test_the_page_is_what_the_commands_say():
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "docs/cli.md is stale; run: python -m chatham.cli.reference > docs/cli.md"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example(name, run):
    shown = run(name, "--help")
    assert shown.exit_code == 0
    assert f"chatham {name}" in help_of(command_named(name)).partition("Example")[2]
    assert "Example" in shown.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_speaks_of_the_types_of_python(name, run):
    shown = run(name, "--help").stdout
    assert not re.search(r"<[a-z]|list\[|Path|\{[A-Z]", shown)
    usage = shown.splitlines()[0].partition("[OPTIONS]")[2]
    assert usage.split() == " ".join(map(usage_of, arguments_of(command_named(name)))).split()


def test_usage_shows_what_may_be_left_out_and_what_may_be_several(run):
    usages = {name: run(name, "--help").stdout.splitlines()[0] for name in COMMANDS}
    assert usages["fit"].endswith("[OPTIONS] FILE...")
    assert usages["intrusion"].endswith("[OPTIONS] MODEL [FILE]")
    assert usages["evaluate"].endswith("[OPTIONS] [MODEL... [FILE]]")
    assert usages["relay"].endswith("[OPTIONS] SESSION...")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name):
    for parameter in command_named(name).params:
        assert parameter.help, f"chatham {name}: {parameter.name} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_speaks_to_machines(name):
    options = {option for parameter in command_named(name).params for option in parameter.opts}
    assert {"--json", "--quiet"} <= options


def test_the_first_page_lists_every_command(run):
    shown = run("--help").stdout
    assert all(f"\n  {name} " in shown for name in COMMANDS)
