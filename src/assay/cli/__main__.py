"""``python -m assay.cli``: the command line."""

from assay.cli import main

main()
