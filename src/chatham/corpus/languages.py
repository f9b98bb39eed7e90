"""Names of the languages that stop words exist for, and the English words that stay words."""

from __future__ import annotations

LANGUAGE_NAMES = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "br": "Breton",
    "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "ku": "Kurdish", "la": "Latin", "lt": "Lithuanian", "lv": "Latvian",
    "mr": "Marathi", "ms": "Malay", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "so": "Somali", "st": "Sotho", "sv": "Swedish", "sw": "Swahili", "th": "Thai",
    "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese",
    "yo": "Yoruba", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip

# These share so many stop words that neither stands out from the other, and the wrong one of them
# does little harm.
RELATED_LANGUAGES = (
    frozenset({"da", "no", "sv"}),
    frozenset({"ca", "es", "gl", "pt"}),
    frozenset({"id", "ms"}),
    frozenset({"af", "nl"}),
    frozenset({"cs", "sk"}),
    frozenset({"hr", "sl"}),
    frozenset({"bg", "ru", "uk"}),
    frozenset({"hi", "mr"}),
    frozenset({"st", "zu"}),
)

# The English list joins many older ones, and so stops names, nouns and internet country codes that
# topics are made of ("computer", "netscape", "mt" for machine translation). These stay words.
ENGLISH_TOPIC_WORDS = frozenset(
    """
    abroad ai area areas arpa au bd bill billion buy caption computer copy cry cv date fire ga
    gov group groups home homepage html information interest interests invention join keys kg km
    man md member members men mg microsoft mill million ml mm move mp ms msie mt mug netscape
    novel null number numbers nz open order orders page pages problem problems qa research ring
    room rooms run sd section sensible serious shell significant site state states stop sub
    system test text thick thin trillion tv uk uucp value web webpage website width wonder words
    world young younger youngest
    """.split()  # noqa: SIM905
)
