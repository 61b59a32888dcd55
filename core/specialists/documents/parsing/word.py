"""Reads Word documents, by way of HTML, which keeps their tables."""

import io
from collections.abc import Iterator
from typing import Any

from core.specialists.documents.parsing.pages import Page, Unread
from core.specialists.documents.parsing.web import markdown


def read(content: bytes) -> Iterator[Page]:
    from zipfile import BadZipFile

    import mammoth

    library: Any = mammoth
    try:
        result = library.convert_to_html(
            io.BytesIO(content), convert_image=library.images.img_element(_no_image)
        )
    except (BadZipFile, OSError, KeyError, ValueError, AttributeError, SyntaxError) as fault:
        raise Unread("is no Word document that can be opened: it is damaged") from fault
    yield Page(text=markdown(result.value)[0])


def _no_image(image: object) -> dict[str, str]:
    return {}
