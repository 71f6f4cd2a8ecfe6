"""Save and load models: safetensors files with a documented header. Loading executes no code.

`docs/model-files.md` describes the format.
"""

from novikoff.store.export import to_csv, to_onnx
from novikoff.store.models import describe, load, load_with_extra, load_with_header, save

__all__ = ["describe", "load", "load_with_extra", "load_with_header", "save", "to_csv", "to_onnx"]
