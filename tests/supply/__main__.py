"""Writes what the product is made of, under which licences, and which known faults it carries.

It runs in an environment of its own and looks at the product's from outside. Everything is written
to `.supply/`; it ends with 0 when all is well, with 1 when a package has a known fault or a licence
that nobody has looked at, and with 2 when the audit service could not be asked.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OUT = ROOT / ".supply"
PRODUCT = ROOT / ".venv/bin/python"
TOOLS = Path(sys.executable).parent
PERMISSIVE = re.compile(
    r"Apache|Python Software Foundation|Mozilla Public|Public Domain"
    r"|\b(?:MIT|BSD|[023]-?BSD|ISC|ISCL|PSF|HPND|MPL|Unlicense|CC0|Zlib|ZLIB|BSL-1\.0|CNRI|NCSA)\b"
)
LOOKED_AT = {
    "apsw": "zlib's, in its LICENSE",
    "mssql-python": "MIT, in its LICENSE",
    "mssql-python-odbc": "Microsoft's terms for its ODBC driver: used as it is, with SQL Server",
    "countersign": "the product itself",
    "psycopg": "LGPL-3.0: linked as a library, unchanged",
    "psycopg-binary": "LGPL-3.0: linked as a library, unchanged",
    "psycopg-pool": "LGPL-3.0: linked as a library, unchanged",
}
"""Licences that are no word of the above, or ask for something, and what was found."""


def main() -> int:
    OUT.mkdir(exist_ok=True)
    run("cyclonedx-py", "environment", "--pyproject", "pyproject.toml", "--output-reproducible",
        "--output-file", str(OUT / "sbom.json"), str(PRODUCT))  # fmt: skip
    parts = json.loads((OUT / "sbom.json").read_text("utf-8"))["components"]
    print(f"{len(parts)} packages are listed in .supply/sbom.json (CycloneDX).")
    return max(licences(), audit())


def licences() -> int:
    """The list, and the packages whose licence nobody has looked at."""
    told = run(
        "pip-licenses", f"--python={PRODUCT}", "--format=json", "--from=mixed", "--with-urls"
    )
    packages = json.loads(told.stdout)
    lines = ["| package | version | licence |", "| --- | --- | --- |"]
    lines += [
        f"| {p['Name']} | {p['Version']} | {p['License'].splitlines()[0]} |" for p in packages
    ]
    (OUT / "licences.md").write_text("\n".join(lines) + "\n", "utf-8")
    strange = unknown(packages)
    print(f"{len(packages)} licences are listed in .supply/licences.md.")
    for name, licence in strange:
        print(f"- {name}: nobody has looked at {licence!r} yet.")
    return int(bool(strange))


def unknown(packages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """(package, licence) of those that are neither permissive nor looked at."""
    return [
        (package["Name"], package["License"].splitlines()[0])
        for package in packages
        if package["Name"].lower() not in LOOKED_AT and not PERMISSIVE.search(package["License"])
    ]


def audit() -> int:
    """Known faults of what is locked, as OSV has them; one question for all packages."""
    file = OUT / "audit.json"
    file.unlink(missing_ok=True)
    asked = run("pip-audit", "--vulnerability-service=osv", "--disable-pip", "--require-hashes",
                "--requirement", "requirements.lock", "--format=json", "--output", str(file),
                "--progress-spinner=off", "--timeout=15", may_fail=True)  # fmt: skip
    if not file.exists():
        reason = (asked.stderr.strip().splitlines() or ["it said nothing"])[-1]
        print(f"Nothing was audited: the audit service cannot be asked from here ({reason[:200]}).")
        return 2
    found = faults(json.loads(file.read_text("utf-8")))
    for line in found:
        print(f"- {line}")
    print(f"{len(found)} known faults; the whole answer is in .supply/audit.json.")
    return int(bool(found))


def faults(answer: dict[str, Any]) -> list[str]:
    """One line for each known fault, with the version that mends it."""
    return [
        f"{package['name']} {package['version']}: {fault['id']}, "
        f"mended in {', '.join(fault['fix_versions']) or 'no version yet'}"
        for package in answer["dependencies"]
        for fault in package.get("vulns", ())
    ]


def run(tool: str, *arguments: str, may_fail: bool = False) -> subprocess.CompletedProcess[str]:
    command = [str(TOOLS / tool), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        sys.exit(f"{tool} failed:\n{done.stderr}")
    return done


if __name__ == "__main__":
    sys.exit(main())
