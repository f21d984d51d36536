"""The pilot program of the gec contest: no edits but those of nine rules (``python -m pku.pilot.gec``).

It reads a text as handed out on standard input and prints its edits, the contest's answer. A rule looks at one token
and its neighbours, so it never finds an error that depends on a wide context: that is left to a team's own program,
which may start as a copy of this.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

_VOWEL: Final = re.compile(
    r"(?!one\b|once|eu|ewe|uni(?![dmn])|us[aeu]|ut[ei]|ukr)[aeiou]|hour|hon(?:est|ou?r)|heir", re.IGNORECASE
)
"""Beginnings of words that take "an": by their sound, as far as the spelling shows it."""
_MAY_DOUBLE: Final = frozenset({"had", "that", "her", "very", "so", "no", "bye", "ha"})
_THIRD: Final = frozenset({"he", "she", "it"})
_OPENING: Final = frozenset(
    {",", ";", ":", "and", "but", "or", "so", "because", "if", "when", "while", "although", "how", "what", "where"}
)
"""Tokens after which a clause begins. Elsewhere, as in "did he go" and "let it go", the base form is right."""
_IRREGULAR: Final[Mapping[str, str]] = {"have": "has", "do": "does", "go": "goes", "be": "is"}
_BASES: Final = frozenset(
    "ask begin believe bring buy call come cook cry drink eat enjoy enter feel find finish forget get give grow"
    " hate hear help jump keep know laugh learn leave like live look lose love make meet need open paint pass pay play"
    " prove rise run save say see seem sell send show sing sleep smile speak stand start stay swim take talk tell"
    " think throw travel try understand use visit wait walk want watch wear win work write".split()
)
_PLURAL_FORMS: Final[Mapping[str, str]] = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SIBILANT: Final = re.compile(r"(?:s|x|ch|sh|o)$")
_MODALS: Final = frozenset("can could may might must shall should will would".split())
_IRREGULAR_PASTS: Final[Mapping[str, str]] = {
    "became": "become", "began": "begin", "bought": "buy", "broke": "break", "brought": "bring", "came": "come",
    "did": "do", "drank": "drink", "ate": "eat", "fell": "fall", "felt": "feel", "forgot": "forget", "found": "find",
    "gave": "give", "got": "get", "had": "have", "knew": "know", "made": "make", "met": "meet", "paid": "pay",
    "said": "say", "saw": "see", "slept": "sleep", "spoke": "speak", "swam": "swim", "thought": "think",
    "threw": "throw", "told": "tell", "took": "take", "understood": "understand", "went": "go", "wrote": "write",
}  # fmt: skip
_REGULARIZED: Final[Mapping[str, str]] = {
    "becomed": "became", "breaked": "broke", "buyed": "bought", "catched": "caught", "choosed": "chose",
    "comed": "came", "costed": "cost", "cutted": "cut", "drinked": "drank", "eated": "ate", "falled": "fell",
    "feeled": "felt", "finded": "found", "forgetted": "forgot", "gived": "gave", "goed": "went", "keeped": "kept",
    "knowed": "knew", "leaved": "left", "losed": "lost", "maked": "made", "meeted": "met", "runned": "ran",
    "sayed": "said", "sended": "sent", "sleeped": "slept", "speaked": "spoke", "swimmed": "swam", "taked": "took",
    "teached": "taught", "telled": "told", "thinked": "thought", "throwed": "threw", "understanded": "understood",
    "writed": "wrote",
}  # fmt: skip
_WITHOUT_PLURAL: Final = frozenset(
    "advice baggage equipment furniture homework information knowledge luggage traffic weather".split()
)


class TokenContext(NamedTuple):
    """A token of a text. ``heads`` are the places of the tokens that sentences begin with."""

    tokens: Sequence[str]
    place: int
    heads: frozenset[int]

    @property
    def token(self) -> str:
        """Return the token itself."""
        return self.tokens[self.place]

    def at(self, step: int) -> str:
        """Return the token ``step`` places away in lower case, ``""`` beyond the ends of the text."""
        place = self.place + step
        return self.tokens[place].lower() if 0 <= place < len(self.tokens) else ""


def doubled(context: TokenContext) -> str | None:
    """Delete the second of two equal words."""
    word = context.at(0)
    return "" if word.isalpha() and word == context.at(-1) and word not in _MAY_DOUBLE else None


def article(context: TokenContext) -> str | None:
    """Exchange "a" and "an"; before letters and abbreviations, whose sound is not known, the article stays."""
    word, following = context.at(0), context.at(1)
    if word not in {"a", "an"} or len(following) < 2 or context.tokens[context.place + 1].isupper():
        return None
    right = "an" if _VOWEL.match(following) else "a"
    return None if word == right or not following[0].isalpha() else _with_case_of(context.token, right)


def agreement(context: TokenContext) -> str | None:
    """Add "-s" to a verb's base form that follows "he", "she" or "it" at the head of a clause."""
    verb = context.token
    if context.at(-1) not in _THIRD or not (context.place - 1 in context.heads or context.at(-2) in _OPENING):
        return None
    stem = f"{verb[:-1]}ie" if re.search(r"[^aeiou]y$", verb) else f"{verb}e" if _SIBILANT.search(verb) else verb
    return _IRREGULAR.get(verb) or (f"{stem}s" if verb in _BASES else None)


def plural_verb(context: TokenContext) -> str | None:
    """Return a verb's plural form after "we" or "you" at the head of a clause; "they" may itself be wrong."""
    if context.at(-1) not in {"we", "you"} or not (context.place - 1 in context.heads or context.at(-2) in _OPENING):
        return None
    return _PLURAL_FORMS.get(context.token)


def particle(context: TokenContext) -> str | None:
    """Delete a "to" between a modal verb, with or without "not", and a base form."""
    modal = context.at(-2) if context.at(-1) == "not" else context.at(-1)
    is_between = modal in _MODALS and (context.at(1) in _BASES or context.at(1) in _IRREGULAR)
    return "" if is_between and context.at(0) == "to" else None


def base_form(context: TokenContext) -> str | None:
    """Return the base form of a verb after a modal verb or "did", with or without "not"."""
    is_denied = context.at(-1) == "not"
    before = context.at(-2) if is_denied else context.at(-1)
    if before not in _MODALS and not (is_denied and before == "did"):
        return None
    verb = context.token
    shorter = (verb.removesuffix("s"), verb.removesuffix("ed"), verb.removesuffix("d"))
    regular = next((base for base in shorter if base != verb and base in _BASES), None)
    return _IRREGULAR_PASTS.get(verb, regular)


def past(context: TokenContext) -> str | None:
    """Return the past form of an irregular verb that has the ending "-ed"."""
    form = _REGULARIZED.get(context.at(0))
    return None if form is None else _with_case_of(context.token, form)


def plural(context: TokenContext) -> str | None:
    """Remove the plural ending of a noun that has no plural."""
    noun = context.at(0).removesuffix("s")
    return context.token[:-1] if noun != context.at(0) and noun in _WITHOUT_PLURAL else None


def capital(context: TokenContext) -> str | None:
    """Capitalise the first letter of a sentence, unless the one before ends with a comma, as a salutation may."""
    begins = context.place in context.heads and context.at(-1) != ","
    return context.token.capitalize() if begins and context.token.isalpha() and context.token.islower() else None


RULES: Final[tuple[tuple[Callable[[TokenContext], str | None], str], ...]] = (
    (doubled, "U:OTHER"),
    (article, "R:DET"),
    (agreement, "R:VERB:SVA"),
    (plural_verb, "R:VERB:SVA"),
    (particle, "U:PART"),
    (base_form, "R:VERB:FORM"),
    (past, "R:VERB:INFL"),
    (plural, "R:NOUN:INFL"),
    (capital, "R:ORTH"),
)
"""Rules with the type of their edits; each returns the replacement of a token, None if it does not apply."""


def correct(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{"edits": […]}`` for a text as handed out, ``{"sentences": […], "tokens": […]}``; O(tokens).

    Of several rules that say something of a token the first in the table counts, so that no two edits overlap. The same
    text always gets the same edits. Raises ``TypeError`` when there is no text to correct.
    """
    tokens, sentences = _strings(content, "tokens"), _strings(content, "sentences")
    heads = frozenset(accumulate((len(sentence.split()) for sentence in sentences), initial=0))
    edits = []
    for place in range(len(tokens)):
        context = TokenContext(tokens, place, heads)
        proposals = ((rule(context), label) for rule, label in RULES)
        correction, label = next((proposal for proposal in proposals if proposal[0] is not None), (None, ""))
        if correction is not None:
            edits.append({"start": place, "end": place + 1, "correction": correction, "type": label})
    return {"edits": edits}


def main() -> int:
    """Correct the text on standard input; 0 when the answer is printed, 1 with the reason on standard error if not."""
    try:
        content = json.loads(sys.stdin.buffer.read().decode("utf-8"))
        answer = correct(content if isinstance(content, dict) else {})
    except (TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(answer, ensure_ascii=False))
    return 0


def _strings(content: Mapping[str, Any], name: str) -> list[str]:
    value = content.get(name)
    if not (isinstance(value, list) and all(isinstance(string, str) for string in value)):
        raise TypeError(f'the text has no "{name}", a list of strings; hand in the JSON as it was given out')
    return value


def _with_case_of(sample: str, word: str) -> str:
    return word.capitalize() if sample[:1].isupper() else word


if __name__ == "__main__":
    sys.exit(main())
