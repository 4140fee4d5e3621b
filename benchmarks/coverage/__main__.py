"""``python -m benchmarks.coverage [part ...] [--quick] [--write]``: measure, print, and write docs/coverage.md if asked."""

import sys

from benchmarks.coverage.run import main

sys.exit(main())
