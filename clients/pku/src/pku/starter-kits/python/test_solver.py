"""Tests of the baseline: `python -m unittest`."""

import json
import unittest
from pathlib import Path

from solver import learn, mark, occurrences

SAMPLE = json.loads(Path(__file__).with_name("sample.json").read_text("utf-8"))


class Baseline(unittest.TestCase):
    """The rules that the model goes by."""

    def test_offsets_are_code_points(self):
        self.assertEqual(occurrences("😀 big 😀 big", "big"), [(2, 5), (8, 11)])

    def test_a_phrase_is_found_as_whole_words_alone(self):
        self.assertEqual(occurrences("cat concat cats cat", "cat"), [(0, 3), (16, 19)])

    def test_what_the_experts_have_marked_is_found_in_another_essay(self):
        self.assertEqual(mark(SAMPLE["essay"], learn(SAMPLE["annotations"]))["selections"], SAMPLE["selections"])

    def test_an_essay_of_a_subject_that_was_not_learned_gets_no_fragments(self):
        self.assertEqual(mark(SAMPLE["essay"], {})["selections"], [])


if __name__ == "__main__":
    unittest.main()
