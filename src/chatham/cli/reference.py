"""The reference of the command line, made from the commands themselves.

`python -m chatham.cli.reference > docs/cli.md` regenerates it; a test compares the two.
"""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from chatham.cli.app import COMMANDS, arguments_of, command_named, usage_of

HEAD = """# The command line

Every command answers `--help` with an example. Errors are one sentence on standard error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | it could not be done: a file that can't be read, a damaged model |
| 2 | the command was used wrongly: an unknown option, a value out of range |
| 130 | Ctrl-C before it was done; but stopping a running relay by Ctrl-C or SIGTERM gives 0 |

Progress and notes go to standard error, results to standard output; `--quiet` leaves only the
results, and `--json` prints them as JSON. With `CHATHAM_DEBUG=1` an error also shows where in the
code it arose.

<!-- Made by `python -m chatham.cli.reference`; change the commands, not this page. -->
"""


def reference() -> str:
    """The whole page."""
    names = COMMANDS
    listed = "\n".join(
        f"- [`chatham {name}`](#chatham-{name}): {_first_line(name)}" for name in names
    )
    return "\n".join([HEAD, listed, "", *(_section(name, command_named(name)) for name in names)])


def help_of(command: Any) -> str:
    """A command's help text, without the marks that keep its lines from being joined."""
    return inspect.cleandoc(command.help or "").replace("\b\n", "")


def _first_line(name: str) -> str:
    first: str = help_of(command_named(name)).split("\n\n")[0].replace("\n", " ")
    return first


def _section(name: str, command: Any) -> str:
    arguments = arguments_of(command)
    options = [p for p in command.params if p.param_type_name == "option"]
    usage = " ".join([f"chatham {name}", *map(usage_of, arguments), "[OPTIONS]"])
    rows = [_argument_row(p) for p in arguments] + [_option_row(p) for p in options]
    return "\n".join(
        [f"## chatham {name}", "", f"    {usage}", "", _prose(help_of(command)), "",
         "| | | default |", "|---|---|---|", *rows, ""]
    )  # fmt: skip


def _prose(text: str) -> str:
    """Paragraphs as they are, and the examples as they can be pasted into a shell."""
    return "\n".join([text.partition("Example")[0].rstrip(), "", "```sh", examples_in(text), "```"])


def examples_in(text: str) -> str:
    """The examples of a command's help: a line each, or several that a shell takes for one."""
    return textwrap.dedent(text.partition("Example")[2].partition("\n")[2]).rstrip()


def _argument_row(parameter: Any) -> str:
    return f"| `{parameter.metavar}` | {parameter.help} | |"


def _option_row(parameter: Any) -> str:
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    metavar = (parameter.metavar or "").replace("|", r"\|")  # a bar would end the cell
    value = f" {metavar}" if metavar else ""
    default = parameter.default
    default_text = "" if default is None or default is False or default == [] else f"`{default}`"
    return f"| {names}{value} | {parameter.help} | {default_text} |"


if __name__ == "__main__":
    print(reference(), end="")
