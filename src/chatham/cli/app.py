"""`chatham` itself: its commands, and how each of them ends.

A command is the function of its name in the module of its name. Modules are imported when their
command is used and import nothing heavy at the top, so that `--help` answers at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from chatham.cli.caching import find_cache
from chatham.cli.wording import as_options, speaking_for
from chatham.errors import ChathamError
from chatham.interrupts import INTERRUPTED, end_at_once, farewell, unwind

COMMANDS = (
    "demo", "fit", "topics", "documents", "explore", "report", "name", "edit", "evaluate",
    "transform", "intrusion", "publish", "merge", "update", "keygen", "session", "relay", "join",
    "gossip", "ledger", "audit",
)  # fmt: skip

SERVERS = ("relay", "explore")
"""Commands that only a signal ends, and that handle signals themselves."""

DEBUG = "CHATHAM_DEBUG"
ERROR = "Error: "
"""What comes before an error's sentence."""


class Commands(TyperGroup):
    """Finds commands by name, and turns every error into one sentence and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All commands, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, imported now."""
        return command_named(cmd_name) if cmd_name in COMMANDS else None

    def invoke(self, ctx: Any) -> Any:
        """Run the command: 0 done, 1 it could not be done, 2 (from Typer) it was used wrongly."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            typer.echo(farewell(), err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if hasattr(error, "exit_code"):  # Typer's own: used wrongly
                raise
            raise _refused(error) from None


class Command(TyperCommand):
    """A command whose options have been read."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; what can't be repeated isn't, as all but the last would be lost."""
        _, _, in_order = self.make_parser(ctx).parse_args(args=list(args))
        options = [each for each in in_order if each.param_type_name == "option"]
        for each in options:
            if options.count(each) > 1 and not (each.multiple or each.is_eager):
                ctx.fail(
                    f"{'/'.join(each.opts)} was given more than once, and only one of them would "
                    "count; leave the others out."
                )
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What to type after its name."""
        return ["[OPTIONS]", *map(usage_of, arguments_of(self))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options by the names that people know, without the types of Python."""
        arguments = [(each.metavar, each.help) for each in arguments_of(self)]
        others = [each for each in self.get_params(ctx) if each.param_type_name == "option"]
        options = [record for each in others if (record := each.get_help_record(ctx))]
        for title, records in (("Arguments", arguments), ("Options", options)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def invoke(self, ctx: Any) -> Any:
        """Do its work; until here there was nothing for Ctrl-C to unwind."""
        if self.name not in SERVERS:
            unwind()
        with speaking_for(self):
            try:
                return super().invoke(ctx)
            except ChathamError as error:
                raise _refused(error) from None


def arguments_of(command: Any) -> list[Any]:
    """What is given to a command without the name of an option."""
    return [each for each in command.params if each.param_type_name == "argument"]


def usage_of(argument: Any) -> str:
    """An argument as usage has it: in brackets if it may be left out."""
    return str(argument.metavar) if argument.required else f"[{argument.metavar}]"


def command_named(name: str) -> Any:
    """One command, with its options and its help."""
    single = typer.Typer(**SETTINGS)
    single.command(name, cls=Command)(getattr(import_module(f"chatham.cli.{name}"), name))
    return typer.main.get_command(single)


SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}

app = typer.Typer(cls=Commands, no_args_is_help=True, **SETTINGS)


def show_version(requested: bool) -> None:
    """Print the version and end."""
    if requested:
        import chatham

        print(f"chatham {chatham.__version__}")
        raise typer.Exit()


@app.callback()
def chatham(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True),
    ] = False,
) -> None:
    """Topic models of text that can't be pooled.

    \b
    Begin with:
      chatham demo
      chatham fit news.csv -k 20 -o model/
    """


def main() -> None:
    """The entry point; what the terminal can't show is escaped instead of failing."""
    end_at_once()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    find_cache()
    try:
        app(prog_name="chatham")
    except OSError as error:  # --help and --version print before any command is invoked
        sys.exit(_refused(error).exit_code)


def _refused(error: Exception) -> typer.Exit:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    typer.echo(f"{ERROR}{_sentence(error)}", err=True)
    return typer.Exit(1)


def _sentence(error: Exception) -> str:
    if isinstance(error, ChathamError):
        return as_options(error)
    if isinstance(error, MemoryError):
        return "This machine doesn't have enough memory; try fewer words or topics."
    if isinstance(error, ImportError):
        return f"The package '{error.name}' is needed for this and can't be imported; install it."
    if isinstance(error, OSError):
        return _about_file(error)
    return _bug(error)


def _about_file(error: OSError) -> str:
    """Without a file name, it is standard output that failed; nothing more is written there."""
    why = error.strerror or type(error).__name__
    if error.filename:
        return f"'{error.filename}' can't be read or written: {why}."
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return f"Standard output can't be written: {why}."


def _bug(error: Exception) -> str:
    """Where a bug of ours is; the error's message may quote a document, so it isn't shown."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"An unexpected {type(error).__name__} in {os.path.basename(frame.filename)}, line "
        f"{frame.lineno}, which is a bug in Chatham; set {DEBUG}=1 to see all of it."
    )
