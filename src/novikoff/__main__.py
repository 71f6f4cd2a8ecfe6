"""``python -m novikoff`` is the command."""

import sys

from novikoff.cli import main

sys.exit(main())
