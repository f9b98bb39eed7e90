"""`python -m chatham`: the same as the command `chatham`."""

from chatham.cli import main

if __name__ == "__main__":
    main()
