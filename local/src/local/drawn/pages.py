"""Fusion's demonstration data: scenes, pairs of programs, and both tests of the four subtasks in the contest's files.

Scenes are small: coloured things on a ground, their places, and questions about them in two languages. Programs are
pairs of small functions, the same in Java and in Python, as tokens with blanks between (F, C2C). The whole of the data
is a public and a private test of four subtasks, in the contest's own files.

``python -m local.drawn`` writes them into ``local/contests/fusion``; a test says when they are stale.
"""

from __future__ import annotations

import io
import json
import random
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from local.drawn.strokes import Pixels, blank, jpeg, png, written

HEIGHT, WIDTH = 120, 160
Language = Literal["en", "ru"]
Box = list[int]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing: its shape's name, its name alone, and counted; ``gender`` of the Russian word."""

    en: str
    ru: str
    many_en: str
    many_ru: str
    gender: Literal["m", "f", "n"]


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour: its value and its names; of the Russian adjective the part before its ending."""

    en: str
    ru: str
    rgb: tuple[int, int, int]

    def russian(self, gender: Literal["m", "f", "n"]) -> str:
        """Return the adjective as it agrees with a noun."""
        soft = self.ru == "син"
        return self.ru + {"m": "ий" if soft else "ый", "f": "яя" if soft else "ая", "n": "ее" if soft else "ое"}[gender]


KINDS: Final = (
    Kind("ball", "мяч", "balls", "мячей", "m"),
    Kind("box", "коробка", "boxes", "коробок", "f"),
    Kind("tent", "палатка", "tents", "палаток", "f"),
    Kind("kite", "воздушный змей", "kites", "воздушных змеев", "m"),
    Kind("egg", "яйцо", "eggs", "яиц", "n"),
)
COLOURS: Final = (
    Colour("red", "красн", (205, 35, 40)),
    Colour("green", "зелён", (35, 140, 60)),
    Colour("blue", "син", (40, 70, 200)),
    Colour("yellow", "жёлт", (235, 205, 40)),
    Colour("purple", "фиолетов", (130, 50, 160)),
)
_GROUNDS: Final = ((236, 240, 243), (226, 232, 224), (240, 232, 220))
_PLACES: Final = tuple((row, column) for row in range(2) for column in range(3))
"""Cells of a scene, 60 × 53 pixels each; a thing stands within one."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing in a scene and the box around it, ``[x, y, w, h]`` in pixels."""

    kind: Kind
    colour: Colour
    box: tuple[int, int, int, int]

    def called(self, language: Language) -> str:
        """Return the class of a thing."""
        return called(self.kind, self.colour, language)


@dataclass(frozen=True, slots=True)
class Scene:
    """Things on a ground."""

    things: tuple[Thing, ...]
    ground: tuple[int, int, int]

    def classes(self, language: Language, draw: random.Random) -> dict[str, list[Box]]:
        """Return the classes in the scene with their boxes, and as many others, in an order that reveals nothing."""
        boxes: dict[str, list[Box]] = {}
        for thing in self.things:
            boxes.setdefault(thing.called(language), []).append(list(thing.box))
        absent = [name for kind in KINDS for colour in COLOURS if (name := called(kind, colour, language)) not in boxes]
        mixed = [*boxes, *draw.sample(absent, max(2, len(boxes)))]
        draw.shuffle(mixed)
        return {name: boxes.get(name, []) for name in mixed}

    def questions(self, language: Language) -> Sequence[tuple[str, str]]:
        """Return the questions about the scene, with answers: how many, is there one, of which colour."""
        kinds = Counter(thing.kind.en for thing in self.things)
        questions = list[tuple[str, str]]()
        for kind in KINDS:
            count = kinds[kind.en]
            if language == "en":
                questions.append((f"How many {kind.many_en} are there in the picture?", str(count)))
                article = "an" if kind.en[0] in "aeiou" else "a"
                questions.append((f"Is there {article} {kind.en} in the picture?", "yes" if count else "no"))
            else:
                questions.append((f"Сколько {kind.many_ru} на картинке?", str(count)))
                questions.append((f"Есть ли на картинке {kind.ru}?", "да" if count else "нет"))
        for thing in self.things:
            if kinds[thing.kind.en] == 1:
                question = (
                    f"What colour is the {thing.kind.en}?" if language == "en" else f"Какого цвета {thing.kind.ru}?"
                )
                questions.append((question, thing.colour.en if language == "en" else thing.colour.russian("m")))
        return questions

    def pixels(self) -> Pixels:
        """Return the scene drawn."""
        canvas = blank(HEIGHT, WIDTH, self.ground)
        for thing in self.things:
            x, y, width, height = thing.box
            part = canvas[y : y + height, x : x + width]
            part[_SHAPES[thing.kind.en](height, width)] = thing.colour.rgb
        return canvas


def called(kind: Kind, colour: Colour, language: Language) -> str:
    """Return the class of a thing: its kind and its colour."""
    return f"{colour.en} {kind.en}" if language == "en" else f"{colour.russian(kind.gender)} {kind.ru}"


def scenes(seed: str, count: int) -> Iterator[Scene]:
    """Yield so many scenes of one to four things, the same for a seed; in some of them two things are of one class."""
    draw = random.Random(seed)  # noqa: S311 - to be the same again, not to be secret
    for _ in range(count):
        places = sorted(draw.sample(_PLACES, draw.randint(1, 4)))
        classes = [(draw.choice(KINDS), draw.choice(COLOURS)) for _ in places]
        if len(classes) > 2 and draw.random() < 0.5:
            classes[1] = classes[0]
        things = (_thing(draw, place, *chosen) for place, chosen in zip(places, classes, strict=True))
        yield Scene(tuple(things), draw.choice(_GROUNDS))


def _thing(draw: random.Random, place: tuple[int, int], kind: Kind, colour: Colour) -> Thing:
    width, height = draw.randint(22, 44), draw.randint(22, 48)
    if kind.en == "ball":
        width = height = min(width, height)
    elif kind.en == "egg":
        width, height = min(width, 30), max(height, 38)
    x = place[1] * 53 + draw.randint(2, 51 - width)
    top = place[0] * 60 + draw.randint(2, 58 - height)
    return Thing(kind, colour, (x, top, width, height))


def _grid(height: int, width: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the distance of each pixel's middle from the box's middle, from -1 to 1."""
    down = (np.arange(height)[:, None] + 0.5) / height * 2 - 1
    right = (np.arange(width)[None, :] + 0.5) / width * 2 - 1
    return down, right


def _round(height: int, width: int) -> Mask:
    down, right = _grid(height, width)
    return np.asarray(down**2 + right**2 <= 1)


def _tent(height: int, width: int) -> Mask:
    down, right = _grid(height, width)
    return np.asarray(2 * np.abs(right) <= down + 1 + 2 / width)


def _kite(height: int, width: int) -> Mask:
    down, right = _grid(height, width)
    return np.asarray(np.abs(down) + np.abs(right) <= 1 + 1 / width)


_SHAPES: Final[Mapping[str, Callable[[int, int], Mask]]] = {
    "ball": _round,
    "egg": _round,
    "box": lambda height, width: np.ones((height, width), dtype=np.bool_),
    "tent": _tent,
    "kite": _kite,
}

_JAVA: Final = re.compile(r'"[^"]*"|\'[^\']*\'|[A-Za-z_]\w*|\d+(?:\.\d+)?|[=!<>+\-*/%]=|&&|\|\||\+\+|--|\S')
_LAYOUT: Final[Mapping[int, str]] = {
    tokenize.NEWLINE: "NEW_LINE",
    tokenize.INDENT: "INDENT",
    tokenize.DEDENT: "DEDENT",
}
_NO_CODE: Final = frozenset({tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})


def of_java(source: str) -> str:
    """Return a Java function as the contest hands it out."""
    return " ".join(_JAVA.findall(source))


def of_python(source: str) -> str:
    """Return a Python function as the contest's true answers have it: its layout is spelled out."""
    tokens = tokenize.generate_tokens(io.StringIO(source.strip() + "\n").readline)
    return " ".join(_LAYOUT.get(token.type, token.string) for token in tokens if token.type not in _NO_CODE)


def _loop(name: str, java: str, python: str, start: str = "0", first: str = "0") -> tuple[str, str]:
    """Return a fold over the elements of an array: the operation on ``r`` with each ``x``."""
    return (
        (
            f"static int {name}(int[] a) {{ int r = {start}; for (int i = {first}; i < a.length; i++) {{ int x = a[i];"
            f" {java} }} return r; }}"
        ),
        f"def {name}(a):\n    r = {start.replace('.length', '')}\n    for i in range({first}, len(a)):\n"
        f"        x = a[i]\n" + "".join(f"        {line}\n" for line in python.split("|")) + "    return r",
    )


def _formula(name: str, parameters: str, formula: str, kind: str = "int", python: str | None = None) -> tuple[str, str]:
    """Return a function that returns one expression."""
    java = ", ".join(f"{kind if kind != 'boolean' else 'int'} {parameter}" for parameter in parameters.split())
    named = ", ".join(parameters.split())
    return (
        f"static {kind} {name}({java}) {{ return {formula}; }}",
        f"def {name}({named}):\n    return {python or formula}",
    )


PUBLIC: Final = (
    _loop("total", "r += x;", "r += x"),
    _loop("product", "r = r * x;", "r = r * x", start="1"),
    _loop("largest", "if (x > r) { r = x; }", "if x > r:|    r = x", start="a[0]", first="1"),
    _loop("countEven", "if (x % 2 == 0) { r++; }", "if x % 2 == 0:|    r += 1"),
    _loop("sumOfSquares", "r += x * x;", "r += x * x"),
    _loop("lastIndexOfZero", "if (x == 0) { r = i; }", "if x == 0:|    r = i", start="-1"),
    _formula("area", "width height", "width * height"),
    _formula("perimeter", "width height", "2 * (width + height)"),
    _formula("isEven", "n", "n % 2 == 0", "boolean"),
    _formula("between", "x low high", "low <= x && x <= high", "boolean", "low <= x and x <= high"),
    _formula("average", "a b", "(a + b) / 2.0", "double", "(a + b) / 2.0"),
    (
        "static int factorial(int n) { int r = 1; while (n > 1) { r *= n; n--; } return r; }",
        "def factorial(n):\n    r = 1\n    while n > 1:\n        r *= n\n        n -= 1\n    return r",
    ),
    (
        "static int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }",
        "def gcd(a, b):\n    while b != 0:\n        t = a % b\n        a = b\n        b = t\n    return a",
    ),
    (
        "static int fibonacci(int n) { if (n < 2) { return n; } return fibonacci(n - 1) + fibonacci(n - 2); }",
        "def fibonacci(n):\n    if n < 2:\n        return n\n    return fibonacci(n - 1) + fibonacci(n - 2)",
    ),
    (
        "static int digits(int n) { int count = 1; while (n >= 10) { n /= 10; count++; } return count; }",
        "def digits(n):\n    count = 1\n    while n >= 10:\n        n //= 10\n        count += 1\n    return count",
    ),
    (
        "static int absolute(int n) { if (n < 0) { return -n; } else { return n; } }",
        "def absolute(n):\n    if n < 0:\n        return -n\n    else:\n        return n",
    ),
    (
        "static void countdown(int n) { while (n > 0) { System.out.println(n); n--; } }",
        "def countdown(n):\n    while n > 0:\n        print(n)\n        n -= 1",
    ),
    (
        (
            "static boolean contains(int[] a, int x) { for (int i = 0; i < a.length; i++) { if (a[i] == x) {"
            " return true; } } return false; }"
        ),
        (
            "def contains(a, x):\n    for i in range(len(a)):\n        if a[i] == x:\n            return True\n"
            "    return False"
        ),
    ),
    (
        'static String repeat(String s, int n) { String r = ""; for (int i = 0; i < n; i++) { r = r + s; } return r; }',
        'def repeat(s, n):\n    r = ""\n    for i in range(n):\n        r = r + s\n    return r',
    ),
    (
        "static void swap(int[] a, int i, int j) { int t = a[i]; a[i] = a[j]; a[j] = t; }",
        "def swap(a, i, j):\n    t = a[i]\n    a[i] = a[j]\n    a[j] = t",
    ),
)
"""The pairs of the public test."""
PRIVATE: Final = (
    _loop("countNegative", "if (x < 0) { r++; }", "if x < 0:|    r += 1"),
    _loop("smallest", "if (x < r) { r = x; }", "if x < r:|    r = x", start="a[0]", first="1"),
    _loop("alternating", "if (i % 2 == 0) { r += x; } else { r -= x; }", "if i % 2 == 0:|    r += x|else:|    r -= x"),
    _loop("sumOfOdd", "if (x % 2 != 0) { r += x; }", "if x % 2 != 0:|    r += x"),
    _loop("steps", "if (x != a[i - 1]) { r++; }", "if x != a[i - 1]:|    r += 1", first="1"),
    _loop("weighted", "r += x * (i + 1);", "r += x * (i + 1)"),
    _formula("volume", "length width height", "length * width * height"),
    _formula("square", "n", "n * n"),
    _formula("isMultiple", "n k", "n % k == 0", "boolean"),
    _formula("outside", "x low high", "x < low || x > high", "boolean", "x < low or x > high"),
    _formula("celsius", "f", "(f - 32) * 5 / 9.0", "double"),
    (
        (
            "static int power(int base, int exponent) { int r = 1; while (exponent > 0) { r *= base; exponent--; }"
            " return r; }"
        ),
        (
            "def power(base, exponent):\n    r = 1\n    while exponent > 0:\n        r *= base\n        exponent -= 1\n"
            "    return r"
        ),
    ),
    (
        "static int sumOfDigits(int n) { int r = 0; while (n > 0) { r += n % 10; n /= 10; } return r; }",
        "def sumOfDigits(n):\n    r = 0\n    while n > 0:\n        r += n % 10\n        n //= 10\n    return r",
    ),
    (
        (
            "static boolean isPrime(int n) { if (n < 2) { return false; } for (int i = 2; i < n; i++) {"
            " if (n % i == 0) { return false; } } return true; }"
        ),
        (
            "def isPrime(n):\n    if n < 2:\n        return False\n    for i in range(2, n):\n        if n % i == 0:\n"
            "            return False\n    return True"
        ),
    ),
    (
        (
            "static int collatz(int n) { int count = 0; while (n != 1) { if (n % 2 == 0) { n = n / 2; } else {"
            " n = 3 * n + 1; } count++; } return count; }"
        ),
        (
            "def collatz(n):\n    count = 0\n    while n != 1:\n        if n % 2 == 0:\n            n = n // 2\n"
            "        else:\n            n = 3 * n + 1\n        count += 1\n    return count"
        ),
    ),
    (
        "static int larger(int a, int b) { if (a > b) { return a; } return b; }",
        "def larger(a, b):\n    if a > b:\n        return a\n    return b",
    ),
    (
        "static void greet(String name, int times) { for (int i = 0; i < times; i++) { System.out.println(name); } }",
        "def greet(name, times):\n    for i in range(times):\n        print(name)",
    ),
    (
        (
            "static int indexOf(int[] a, int x) { for (int i = 0; i < a.length; i++) { if (a[i] == x) { return i; } }"
            " return -1; }"
        ),
        "def indexOf(a, x):\n    for i in range(len(a)):\n        if a[i] == x:\n            return i\n    return -1",
    ),
    (
        "static int triangle(int n) { int r = 0; for (int i = 1; i <= n; i++) { r += i; } return r; }",
        "def triangle(n):\n    r = 0\n    for i in range(1, n + 1):\n        r += i\n    return r",
    ),
    (
        "static void fill(int[] a, int x) { for (int i = 0; i < a.length; i++) { a[i] = x; } }",
        "def fill(a, x):\n    for i in range(len(a)):\n        a[i] = x",
    ),
)
"""The pairs of the private test."""

TESTS: Final = 20
"""Of each subtask in each set."""
PAIRS: Final = {"public": PUBLIC, "private": PRIVATE}
WORDS: Final = {
    "public": "школа река дерево книга окно стол рыба поле зима лето hello water house garden summer bread stone"
    " weather letter window",
    "private": "дорога берег озеро трава город весна молоко тетрадь ветер мост night street winter mountain green"
    " silent butter island morning thunder",
}
"""Of every set ten Russian words and ten English ones."""


def files(name: str) -> dict[str, bytes]:
    """Return the files of the set of this name, ``input/…`` as a program finds them and ``true/…`` with the answers."""
    pairs = {str(number): pair for number, pair in enumerate(PAIRS[name])}
    words = WORDS[name].split()
    random.Random(f"words {name}").shuffle(words)  # noqa: S311 - to be the same again, not to be secret
    named = {f"{number}.png": word for number, word in enumerate(words)}
    return {
        "input/C2C/requests.json": _json({key: of_java(java) for key, (java, _) in pairs.items()}),
        "true/true_C2C.json": _json({key: of_python(python) for key, (_, python) in pairs.items()}),
        **{f"input/HTR/images/{file}": png(written(word, name)) for file, word in named.items()},
        "true/true_HTR.json": _json(named),
        **_seen(name),
    }


def _seen(name: str) -> dict[str, bytes]:
    """Return the data of zero-shot detection and of questions: the same scenes, every other one in Russian."""
    draw = random.Random(f"asked {name}")  # noqa: S311 - to be the same again, not to be secret
    images, boxes = dict[str, bytes](), dict[str, Any]()
    questions, answers = dict[str, Any](), dict[str, Any]()
    for number, scene in enumerate(scenes(name, TESTS)):
        language: Language = "ru" if number % 2 else "en"
        file = f"{number}.jpg"
        images[file] = jpeg(scene.pixels())
        boxes[file] = scene.classes(language, draw)
        question, answer = draw.choice(scene.questions(language))
        questions[str(number)] = {"file_name": file, "question": question}
        answers[str(number)] = {"answer": answer, "lang": language}
    return {
        **{f"input/{subtask}/images/{file}": body for subtask in ("zsOD", "VQA") for file, body in images.items()},
        "input/zsOD/requests.json": _json({file: list(classes) for file, classes in boxes.items()}),
        "input/VQA/questions.json": _json(questions),
        "true/true_zsOD.json": _json(boxes),
        "true/true_VQA.json": _json(answers),
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
