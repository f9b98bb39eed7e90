"""Something secret, and how a refusal is looked at for it."""

import numpy as np
import pandas as pd
import pytest

from chatham.corpus import read_corpus
from chatham.errors import InputError

SECRET = "Dear Anna, nobody may ever read this letter of mine"
COUNTS = np.array([[1, 0], [2, 3]])
FRAME = pd.DataFrame({"id": [1, 2], "text": ["tea", "milk"], "n": [1, 2]})
MARKET = "%%MatrixMarket matrix coordinate integer general\n"


def refused(source, **options):
    """Read what must be refused, and give the sentence."""
    with pytest.raises(InputError) as caught:
        read_corpus(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    assert message.endswith((".", "?"))
    return message


def file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
