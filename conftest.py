"""Compiled kernels are cached under a hash of their sources.

numba notices a change in a kernel's own file, not in the files of the kernels it calls, so that
after an edit tests could pass on code that no longer exists.
"""

import hashlib
import os
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = sorted((HERE / "src" / "chatham").rglob("*.py"))
DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]

os.environ.setdefault("NUMBA_CACHE_DIR", str(HERE / ".numba_cache" / DIGEST))
