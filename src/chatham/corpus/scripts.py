"""Which texts are in a script without spaces between words, where splitting finds no words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chatham.wording import Either, Sentence, say

SPACELESS_SCRIPTS = {
    # Kana come first: they distinguish Japanese from Chinese.
    "Japanese": "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff",
    "Thai": "\u0e00-\u0e7f",
    "Lao": "\u0e80-\u0eff",
    "Burmese": "\u1000-\u109f\uaa60-\uaa7f",
    "Khmer": "\u1780-\u17ff",
}

SPACELESS_SHARE = 0.15
"""Below this share of letters, a spaceless script is only quoted in a text of another."""


def spaceless_scripts(texts: Iterable[str]) -> list[str]:
    """Name the scripts without spaces that make up a large part of these texts.

    >>> spaceless_scripts(["การสร้างแบบจำลองหัวข้อ", "topic models"])
    ['Thai']
    >>> spaceless_scripts(["topic models"])
    []
    """
    # \S keeps marks, which Thai, Lao, Khmer and Burmese are full of.
    written = [re.sub(r"\s+", "", text) for text in texts if not text.isascii()]
    total = sum(map(len, written))
    scripts = [
        name
        for name, letters in SPACELESS_SCRIPTS.items()
        if _count(letters, written) > SPACELESS_SHARE * total
    ]
    # Japanese is written with Chinese characters among its kana.
    return [name for name in scripts if not (name == "Chinese" and "Japanese" in scripts)]


def _count(letters: str, texts: Iterable[str]) -> int:
    pattern = re.compile(f"[{letters}]")
    return sum(len(pattern.findall(text)) for text in texts)


def spaceless_warning(scripts: list[str]) -> Sentence:
    """Say what is wrong and what to do.

    >>> spaceless_warning(["Thai"])[:47]
    'Many letters are Thai, which is written without'
    """
    return say(
        "Many letters are {names}, which is written without spaces between words, so whole "
        "phrases are taken as words: {advice}.",
        names=" and ".join(scripts),
        advice=Either(
            say("give a function that splits it, as {tokenizer=function}"),
            "separate the words with spaces first",
        ),
    )
