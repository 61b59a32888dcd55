"""Judges the addresses that a post may carry, and those that are asked."""

import ipaddress
from urllib.parse import urlsplit


def plain(url: str, *, longest: int) -> str:
    """The address; empty for what is no plain one on https, or has more characters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    is_plain = parts.scheme == "https" and bool(parts.hostname) and len(url) <= longest
    return url if is_plain and url.isprintable() and " " not in url else ""


def is_loopback(host: str) -> bool:
    """True for names and numbers that only this machine can reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
