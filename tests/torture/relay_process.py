"""A relay by itself: it has never been near a party's numbers.

python -m tests.torture.relay_process session.toml folder port
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from chatham.federation.relay.service import relay_app
from chatham.federation.session import read_session


def main(session, folder, port):
    """Serve one session."""
    app = relay_app([read_session(session)], Path(folder))
    uvicorn.Server(uvicorn.Config(app, port=int(port), log_level="debug")).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
