"""Pairs of small functions, the same in Java and in Python, as tokens with blanks between (F, C2C)."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping
from typing import Final

_JAVA: Final = re.compile(r'"[^"]*"|\'[^\']*\'|[A-Za-z_]\w*|\d+(?:\.\d+)?|[=!<>+\-*/%]=|&&|\|\||\+\+|--|\S')
_LAYOUT: Final[Mapping[int, str]] = {
    tokenize.NEWLINE: "NEW_LINE",
    tokenize.INDENT: "INDENT",
    tokenize.DEDENT: "DEDENT",
}
_NO_CODE: Final = frozenset({tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})


def of_java(source: str) -> str:
    """A Java function as the contest hands it out."""
    return " ".join(_JAVA.findall(source))


def of_python(source: str) -> str:
    """A Python function as the contest's true answers have it: its layout is spelled out."""
    tokens = tokenize.generate_tokens(io.StringIO(source.strip() + "\n").readline)
    return " ".join(_LAYOUT.get(each.type, each.string) for each in tokens if each.type not in _NO_CODE)


def _loop(name: str, java: str, python: str, start: str = "0", first: str = "0") -> tuple[str, str]:
    """A fold over the elements of an array: what is done to ``r`` with each ``x``."""
    return (
        (
            f"static int {name}(int[] a) {{ int r = {start}; for (int i = {first}; i < a.length; i++) {{ int x = a[i];"
            f" {java} }} return r; }}"
        ),
        f"def {name}(a):\n    r = {start.replace('.length', '')}\n    for i in range({first}, len(a)):\n"
        f"        x = a[i]\n" + "".join(f"        {line}\n" for line in python.split("|")) + "    return r",
    )


def _formula(name: str, parameters: str, formula: str, kind: str = "int", python: str | None = None) -> tuple[str, str]:
    """A function that returns one expression."""
    java = ", ".join(f"{kind if kind != 'boolean' else 'int'} {each}" for each in parameters.split())
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
