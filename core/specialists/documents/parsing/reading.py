"""The child process in which a program reads one picture: bounded, then replaced by the program.

It reads foreign pictures, so it has nothing that is worth taking.
"""

import os
import sys

from core.specialists.documents.parsing.child import bound


def main() -> int:
    program, languages, memory, seconds = sys.argv[1:5]
    bound(int(memory), int(seconds))
    os.execv(program, [program, "stdin", "stdout", "-l", languages])  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
