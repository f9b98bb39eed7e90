"""`python -m chatham`, and the command `chatham`."""

from chatham.interrupts import end_at_once


def main() -> None:
    """Be ready for Ctrl-C before anything large is imported."""
    end_at_once()
    from chatham.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
