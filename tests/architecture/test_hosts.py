"""Nothing in the project depends on the machine or the mirror that it was made with."""

import re

from tests.architecture.sources import ROOT, tracked

# Put together here, so that this file is not the one that names them.
REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("docker", "io"),
        ("ghcr", "io"),
    )
]
MACHINE = re.compile(rb"(?<![\w.~-])/(?:work|root|home|Users)/\w")
MIRROR = re.compile(rb"(?m)^\s*(?:--(?:extra-)?index-url|--find-links|--trusted-host)\b")


def found_in(content: bytes) -> list[str]:
    """What a file says that it must not."""
    found = [host for host in REGISTRIES if host.encode() in content]
    found += [match[0].decode() for match in MACHINE.finditer(content)]
    found += [match[0].decode().strip() for match in MIRROR.finditer(content)]
    return found


def test_no_file_names_a_registry_or_a_path_of_a_machine():
    told = {
        str(name): found for name in tracked() if (found := found_in((ROOT / name).read_bytes()))
    }
    assert told == {}


def test_registries_and_paths_are_found():
    host = "https://" + ".".join(("files", "pythonhosted", "org")) + "/x"
    folder = "/".join(("", "home", "somebody", "countersign"))
    for text in (host, f"cd {folder}", f"'{folder}'", "--index-url x", "\n  --find-links y"):
        assert found_in(text.encode()), text
    for text in ("https://example.com/home/x", "core/work/x", "~/work/x", "see --index"):
        assert not found_in(text.encode()), text
