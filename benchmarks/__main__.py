"""`python -m benchmarks`, which is `make bench`."""

import sys

from benchmarks.run import main

sys.exit(main())
