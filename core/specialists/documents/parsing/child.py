"""The process in which a file is read: bytes come in, pages go out, one JSON object a line.

It is a process of its own because a file may be made to take all time and memory that there is.
"""

import base64
import json
import resource
import sys
from collections.abc import Iterator

from core.specialists.documents.parsing import kinds, letter, pdf, plain, sheets, slides, web, word
from core.specialists.documents.parsing.pages import Page, Unread

OUT_OF_MEMORY = 3
"""How the process ends where there was not enough."""


def pages(content: bytes, name: str, most_images: int) -> Iterator[Page]:
    """Raises Unread."""
    match kinds.kind_of(content, name):
        case "pdf":
            yield from pdf.read(content, most_images=most_images)
        case "docx":
            yield from word.read(content)
        case "pptx":
            yield from slides.read(content)
        case "xlsx":
            yield from sheets.read(content)
        case "csv":
            yield from sheets.read_csv(content)
        case "html":
            yield from web.read(content)
        case "eml":
            yield from letter.read(content)
        case "image":
            yield Page(image=content, is_scanned=True)
        case _:
            yield from plain.read(content)


def written(page: Page) -> str:
    return json.dumps(
        {
            "number": page.number,
            "text": page.text.encode("utf-8", "replace").decode(),
            "name": page.name,
            "image": base64.b64encode(page.image).decode(),
            "is_scanned": page.is_scanned,
        }
    )


def bound(memory: int, seconds: int) -> None:
    """No more than that, no file of its own, and no child."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> int:
    name, memory, seconds, images = sys.argv[1:5]
    bound(int(memory), int(seconds))
    try:
        for page in pages(sys.stdin.buffer.read(), name, int(images)):
            print(written(page), flush=True)
        print("{}", flush=True)
    except Unread as fault:
        print(json.dumps({"fault": str(fault)}), flush=True)
    except MemoryError:
        return OUT_OF_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(main())
