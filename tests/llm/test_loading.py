"""A client can be made while another thread is in the middle of loading a library."""

import subprocess
import sys

import pytest

HALF_LOADED = """
import importlib.util, sys, threading

class Slow:
    # Loads httpx in two halves: what looks at it between them finds a module without its names.
    def __init__(self, loader):
        self.loader = loader
    def create_module(self, spec):
        return self.loader.create_module(spec)
    def exec_module(self, module):
        begun.set()
        go_on.wait(20)
        self.loader.exec_module(module)

class Finder:
    def find_spec(self, name, path, target=None):
        if name != "httpx":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        spec.loader = Slow(spec.loader)
        return spec

import openai, httpx2
from core.llm.models import ModelSettings
from core.llm import clients, embed
for name in [name for name in sys.modules if name.partition(".")[0] == "httpx"]:
    del sys.modules[name]
begun, go_on = threading.Event(), threading.Event()
sys.meta_path.insert(0, Finder())
other = threading.Thread(target=lambda: __import__("httpx"))
other.start()
begun.wait(20)
threading.Timer(0.3, go_on.set).start()
settings = ModelSettings(provider="openai", name="gpt-5.5", api_key="k", base_url="http://127.0.0.1:9/v1")
{make}
assert hasattr(sys.modules["httpx"], "URL")
other.join()
print("made")
"""


@pytest.mark.parametrize(
    "make", ["embed._client(settings)", "clients._build(settings)"], ids=["vectors", "chat"]
)
def test_a_client_waits_for_a_library_that_is_half_loaded(make: str) -> None:
    program = HALF_LOADED.replace("{make}", make)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=100
    )
    assert ended.stdout == "made\n", ended.stderr
