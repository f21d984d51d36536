"""The command's output streams, and the captions of its output, in Russian and English."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import BinaryIO, Final, TextIO

from markup_core.speaking import escape_unshowable

LANGUAGES: Final = ("ru", "en")

_TEXTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "valid": ("{file}: верно, фрагментов: {fragments}", "{file}: valid, fragments: {fragments}"),
        "faults": (
            "{file}: ошибок: {errors}, предупреждений: {warnings}",
            "{file}: errors: {errors}, warnings: {warnings}",
        ),
        "error": ("ошибка", "error"),
        "warning": ("предупреждение", "warning"),
        "kind": ("вид", "kind"),
        "fragment": ("фрагмент", "fragment"),
        "field": ("поле", "field"),
        "code": ("код", "code"),
        "message": ("сообщение", "message"),
        "criterion": ("критерий", "criterion"),
        "points": ("баллы", "points"),
        "most": ("из", "of"),
        "why": ("почему", "why"),
        "graded": ("{file}: {subject}, {total} из {most}", "{file}: {subject}, {total} of {most}"),
        "total": ("итого", "total"),
        "span": ("место", "span"),
        "overlap": ("перекрытие, %", "overlap, %"),
        "text": ("текст", "text"),
        "matched": (
            "пар: {pairs}, только в X: {x}, только в Y: {y}, Q = {q}",
            "pairs: {pairs}, only in X: {x}, only in Y: {y}, Q = {q}",
        ),
        "metric": ("метрика", "metric"),
        "meaning": ("что измеряет", "what it measures"),
        "value": ("значение, %", "value, %"),
        "M1": ("точность предсказания оценки за эссе", "accuracy of the grade"),
        "M2": ("точность и полнота поиска фрагментов", "corresponding fragments"),
        "M3": ("точность предсказания кодов", "codes"),
        "M4": ("точность предсказания подтипов и комментариев", "subtypes and comments"),
        "M5": ("точность локализации фрагментов", "borders in words"),
        "M6": ("точность исправлений", "corrections"),
        "M7": ("точность пояснений", "explanations as rated by experts"),
        "pair_accuracy": ("парная точность", "pair accuracy"),
        "essays": ("эссе", "essays"),
        "essay": ("эссе", "essay"),
        "experts": ("экспертов", "experts"),
        "all": ("все", "all"),
        "subject": ("предмет", "subject"),
        "language": ("язык", "language"),
        "group": ("группа", "group"),
        "STAR": ("СТАР", "STAR"),
        "STER": ("СТЭР", "STER"),
        "OTAR": ("ОТАР", "OTAR"),
        "interval": ("95 %", "95 %"),
        "by_metric": ("По метрикам", "By metric"),
        "by_group": ("Всего, по предметам и языкам", "In all, by subject and language"),
        "over_all": (
            "СТАР по всем эссе с экспертной разметкой, для деления на СТЭР не годится",
            "STAR over all essays with an expert markup, not to be divided by STER",
        ),
        "by_essay": ("По эссе", "By essay"),
        "chart": ("ОТАР по предметам (40 знаков = 100 %)", "OTAR by subject (40 characters = 100 %)"),
        "report": ("Отчёт о разметках", "Report on markups"),
        "legend": (
            (
                "СТАР — средняя точность алгоритмической разметки, СТЭР — средняя точность экспертных разметок, "
                "ОТАР = СТАР / СТЭР; все значения в процентах, прочерк — значение не определено. Интервалы получены "
                "повторной выборкой эссе."
            ),
            (
                "STAR is the average accuracy of the algorithmic markup, STER that of the expert markups, "
                "OTAR = STAR / STER; all values are percentages, a dash is an undefined value. The intervals come from "
                "resampling the essays."
            ),
        ),
        "parameters": ("Параметры", "Parameters"),
        "library": ("библиотека", "library"),
        "weights": ("веса M1…M7", "weights of M1…M7"),
        "hardness": ("параметр жёсткости H", "hardness H"),
        "separate_groups": ("блоки отдельно от ошибок", "blocks apart from errors"),
        "paraphrase": ("сравнение комментариев", "judge of paraphrases"),
        "seed": ("начальное число выборки", "seed of the resampling"),
        "inputs": ("SHA-256 отпечатка", "SHA-256 of the fingerprint"),
        "yes": ("да", "yes"),
        "no": ("нет", "no"),
        "verified": (
            "Подтверждено: отпечаток и все числа совпали.",
            "Verified: the fingerprint and every number agree.",
        ),
        "differs": (
            "Не подтверждено, различий: {count} (записано → вычислено)",
            "Not verified, differences: {count} (recorded → recomputed)",
        ),
        "no_m1": (
            (
                "Для предмета {subject} нет формулы оценки: M1 не определена, а с ней и точность. Дайте ей вес 0: "
                "--weights 0,2,1,1,1,1,0"
            ),
            (
                "The subject {subject} has no grading formula: M1 is undefined and with it the accuracy. Give it the "
                "weight 0: --weights 0,2,1,1,1,1,0"
            ),
        ),
        "no_programs": (
            "Разметок программы (ID.json) нет: измеряются только эксперты друг относительно друга.",
            "There is no program's markup (ID.json): the experts alone are measured, each against the others.",
        ),
        "no_experts": (
            "Без экспертной разметки, в расчёт не входят: {essays}",
            "Without an expert markup, not counted: {essays}",
        ),
        "more": ("  … и ещё {count}", "  … {count} more"),
        "lost": ("{file}: не перенесено: {losses}", "{file}: not carried: {losses}"),
        "codes": ("Коды классификатора ошибок", "Codes of the classifier of errors"),
        "codes_legend": (
            (
                "Коды сравниваются без учёта регистра. «Ошибка» и «смысловой блок» — группа кода; «исправление» — к "
                "фрагменту можно дать исправление; «весь текст» — код можно отнести ко всему эссе (начало и конец 0); "
                "«связь» — такие фрагменты можно связать общим тегом. Подтип, которого нет в списке, допустим, "
                "с предупреждением."
            ),
            (
                "Letter case does not distinguish codes. “error” and “block” (a semantic block) are the code's group; "
                "“correction”: a fragment may have one; “whole text”: the code may be said of the whole essay (start "
                "and end 0); “link”: such fragments may be linked by a common tag. A subtype that is not listed is "
                "legal, with a warning."
            ),
        ),
        "marks": ("признаки", "marks"),
        "subtypes": ("подтипы", "subtypes"),
        "description": ("описание", "description"),
        "meaning_group": ("смысловой блок", "block"),
        "error_group": ("ошибка", "error"),
        "correction": ("исправление", "correction"),
        "full_text": ("весь текст", "whole text"),
        "relation": ("связь", "link"),
        "agreement": (
            (
                "Альфа Криппендорфа по словам: {alpha} (слов: {words}; эссе с двумя и более экспертами: {essays}, "
                "без них: {left_out})"
            ),
            (
                "Krippendorff's alpha over words: {alpha} (words: {words}; essays of two experts or more: {essays}, "
                "others: {left_out})"
            ),
        ),
        "by_couple": ("По парам экспертов", "By couple of experts"),
        "by_code": (
            "По кодам; эталон — эксперт с меньшим номером",
            "By code; the reference is the expert of the lower number",
        ),
        "confusion": (
            "Расхождения; прочерк — соответствующего фрагмента нет",
            "Where they differ; a dash: no such fragment",
        ),
        "couple": ("эксперты", "experts"),
        "reference": ("эталон", "reference"),
        "other": ("другой", "other"),
        "agreed": ("совпало", "agreed"),
        "precision": ("точность, %", "precision, %"),
        "recall": ("полнота, %", "recall, %"),
        "f1": ("F1, %", "F1, %"),
        "times": ("раз", "times"),
        "progress": ("оценено эссе: {done} из {of}", "essays scored: {done} of {of}"),
    }
)


def caption(name: str, language: str) -> str:
    """Return the text of a name in a language."""
    return _TEXTS[name][LANGUAGES.index(language)]


_FEW: Final = 5
"""Essays up to which progress is not worth a line."""


@dataclass(frozen=True, slots=True)
class Console:
    """The command's streams and the language it speaks."""

    requests: BinaryIO
    out: TextIO
    err: TextIO
    language: str

    @classmethod
    def standard(cls, language: str) -> Console:
        """Open the process's own streams; characters that a terminal cannot show are escaped instead of failing."""
        escape_unshowable()
        return cls(sys.stdin.buffer, sys.stdout, sys.stderr, language)

    def say(self, name: str, **values: object) -> str:
        """Return a sentence in the console's language."""
        return caption(name, self.language).format(**values)

    def line(self, text: str = "") -> None:
        """Print a line of the result."""
        self.out.write(f"{text}\n")

    def data(self, content: bytes) -> None:
        """Write bytes of the result: UTF-8 whatever the terminal's encoding, line ends untouched."""
        self.out.flush()
        self.out.buffer.write(content)
        self.out.buffer.flush()

    def complain(self, text: str) -> None:
        """Print a line on standard error."""
        self.err.write(f"{text}\n")

    def progress(self) -> Callable[[int, int], None]:
        """Return a function that shows how far a long task is, on a terminal only."""
        on_terminal = self.err.isatty()

        def advance(done: int, total: int) -> None:
            if on_terminal and total > _FEW:
                end = "\n" if done == total else "\r"
                self.err.write(f"{self.say('progress', done=done, total=total)}{end}")
                self.err.flush()

        return advance
