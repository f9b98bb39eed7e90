"""Compiled kernels are cached under a hash of their sources, and BLAS has one thread.

numba notices a change in a kernel's own file, not in the files of the kernels it calls, so that
after an edit tests could pass on code that no longer exists. What kernels are made of is all in
files that import numba (`tests/numerics/test_kernels.py`): other edits compile nothing anew.

The threads of a BLAS spin while they wait, which at the size of a test costs several times what
they bring, all the more where tests themselves run side by side. That no bit depends on them is
tested where they are many on purpose (`tests/learners/test_one_body.py`).
"""

import hashlib
import os
import re
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = {path: path.read_bytes() for path in sorted((HERE / "src" / "chatham").rglob("*.py"))}
KERNELS = {
    path: source for path, source in SOURCES.items() if re.search(rb"^from numba", source, re.M)
}
DIGEST = hashlib.sha256(b"".join(KERNELS.values())).hexdigest()[:16]

os.environ.setdefault("NUMBA_CACHE_DIR", str(HERE / ".numba_cache" / DIGEST))
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
