"""What a rehearsal says to people, in English and Russian."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from local.rehearsal.messages_of_checks import CHECKS

EN, RU = "en", "ru"
_PRACTICE: Final = ("the fault «practice» was not injected", "сбой «practice» не вносился")
_QUALIFYING: Final = (
    "the fault «qualifying» was not injected, or there is one file alone",
    "сбой «qualifying» не вносился или файл всего один",
)
_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "title.essay": (
        "A final: {teams} teams × {files} files, seed {seed}, faults: {faults}",
        "Финал: команд {teams}, файлов {files}, начальное число {seed}, сбои: {faults}",
    ),
    "title.exam": (
        "The exam's final: {teams} teams × {files} tasks, seed {seed}, faults: {faults}",
        "Финал экзамена: команд {teams}, заданий {files}, начальное число {seed}, сбои: {faults}",
    ),
    "title.gec": (
        "The final of corrections: {teams} teams × {files} texts, seed {seed}, faults: {faults}",
        "Финал исправления ошибок: команд {teams}, текстов {files}, начальное число {seed}, сбои: {faults}",
    ),
    "title.diagnosis-final": (
        "Stage 1 of the final: {teams} teams × {files} epicrises in six turns, seed {seed}, faults: {faults}",
        "Стадия 1 финала: команд {teams}, эпикризов {files} по шесть ходов, начальное число {seed}, сбои: {faults}",
    ),
    "title.diagnosis-semifinal": (
        "The semifinal of diagnoses: {teams} teams × {files} epicrises in two versions, seed {seed}, faults: {faults}",
        "Полуфинал диагностики: команд {teams}, эпикризов {files}, начальное число {seed}, сбои: {faults}",
    ),
    "title.fusion": (
        "The contest of programs: {teams} teams × {files} programs, seed {seed}, faults: {faults}",
        "Конкурс программ: команд {teams}, программ у каждой {files}, начальное число {seed}, сбои: {faults}",
    ),
    "ended": ("How submissions ended", "Чем закончились посылки"),
    "programs": ("submissions", "посылок"),
    "end.scored": ("scored", "оценены"),
    "end.refused": ("refused, or given up", "отклонены или загрузка прекращена"),
    "end.failed": ("failed", "не удались"),
    "end.uploading": ("not handed in", "не сданы"),
    "end.checking": ("being checked", "проверяются"),
    "end.queued": ("wait for a machine", "ждут машину"),
    "end.running": ("running", "выполняются"),
    "end.scoring": ("being scored", "оцениваются"),
    "end.image": ("the image", "образ"),
    "end.exit_code": ("the exit code", "код завершения"),
    "end.timeout": ("the time", "время"),
    "end.out_of_memory": ("the memory", "память"),
    "end.no_output": ("no output", "нет результата"),
    "end.bad_output": ("a bad output", "неверный результат"),
    "end.platform": ("lost by the platform", "потеряны платформой"),
    "load.programs": (
        "{calls} requests of teams and organizers in {seconds:.1f} s, two days of the contest",
        "Запросов команд и организаторов: {calls}, за {seconds:.1f} с, два дня конкурса",
    ),
    "why.machines": (
        "containers and AWS Batch: machines are a stand-in, one run goes through the real local runner",
        "контейнеры и AWS Batch: машины имитируются, один запуск проходит через настоящую локальную программу запуска",
    ),
    "injected.machine_lost": ("machines that vanished", "исчезнувшие машины"),
    "injected.run_for_real": ("runs by the real local runner", "запуски настоящей локальной программой"),
    "injected.task_lost": ("lost messages about submissions", "потерянные сообщения о посылках"),
    "none": ("none", "нет"),
    "more": ("  … {count} more", "  … и ещё {count}"),
    "preparing": ("Preparing the cloud, the cycle and the teams …", "Готовятся облако, цикл и команды…"),
    "playing": ("The run", "Прогон"),
    "concluding": ("The results are made …", "Составляются результаты…"),
    "checking": ("Checking …", "Проверка…"),
    "injected": ("What was injected", "Что было внесено"),
    "times": ("times", "раз"),
    "happened": ("What happened to the files", "Что стало с файлами"),
    "fate": ("fate", "исход"),
    "files": ("files", "файлов"),
    "share": ("share", "доля"),
    "annulled": (
        "{count} solutions annulled (more than 5 % missed)",
        "Аннулировано решений (потеряно более 5 %): {count}",
    ),
    "check": ("what is proved", "что доказано"),
    "cases": ("cases", "случаев"),
    "faults": ("against", "против"),
    "unexercised": ("Not exercised:", "Не проверено:"),
    "why.check.no_faults_no_voids": (
        "faults that may cost a file were injected",
        "внесены сбои, которые могут стоить файла",
    ),
    "why.check.channel_kept": (
        "no team is on the event channel: fewer than five teams, or the clock runs by itself",
        "на канале событий нет команд: их меньше пяти или часы идут сами",
    ),
    "why.check.strangers_kept_out": ("the fault «crowd» was not injected", "сбой «crowd» не вносился"),
    "why.check.not_yet_told": (
        "nobody looks into a file before its opening: the fault «prying» was not injected, or the run is too short",
        "никто не заглядывает в файл до открытия: сбой «prying» не вносился или прогон слишком короток",
    ),
    "why.check.others_kept": ("the fault «prying» was not injected", "сбой «prying» не вносился"),
    "why.check.references_hidden": ("the fault «prying» was not injected", "сбой «prying» не вносился"),
    "why.check.decisions_kept": (
        "the organizers decide nothing: «decisions» was not chosen, or fewer than four files or two teams over HTTP",
        "организаторы ничего не решают: «decisions» не выбрано или файлов меньше четырёх, а команд по HTTP меньше двух",
    ),
    "why.check.sessions_chosen": _PRACTICE,
    "why.check.sessions_ended": _PRACTICE,
    "why.check.requests_limited": _PRACTICE,
    "why.check.readiness_concluded": _QUALIFYING,
    "why.check.admitted_by_steps": _QUALIFYING,
    "why.check.one_entry_each": _QUALIFYING,
    "why.check.trial_apart": _QUALIFYING,
    "why.check.failure_proposed": _QUALIFYING,
    "why.check.begun_anew": _QUALIFYING,
    "why.check.channel_alive": _QUALIFYING,
    "why.check.beside_as_promised": _QUALIFYING,
    "why.check.latency_given_back": _QUALIFYING,
    "why.check.held_in_real_time": _QUALIFYING,
    "why.check.experts_apart": _QUALIFYING,
    "why.check.experts_counted": _QUALIFYING,
    "why.around_it": (
        "qualification, admission, trials, mass failures, runs begun anew: an essays' final plays them",
        "квалификация, допуск, пробные прогоны, массовые отказы, перезапуски: их имитирует финал эссе",
    ),
    "why.other_contests": (
        "the other contests: an essays' final is played (--track plays another)",
        "другие конкурсы: идёт финал эссе (--track — другой конкурс)",
    ),
    "why.own_sessions": (
        "sessions outside runs, submissions of answers, and people's part",
        "сессии вне прогонов, посылки с ответами и работа людей",
    ),
    "why.channel_of_others": (
        "the event channel: every program uses HTTP",
        "канал событий: все программы работают по HTTP",
    ),
    "green": ("GREEN: every check passed", "ЗЕЛЁНЫЙ: все проверки пройдены"),
    "red": ("RED: checks that failed: {count}", "КРАСНЫЙ: не пройдено проверок: {count}"),
    "load": (
        "{calls} requests of teams, {peak} in their busiest second; {seconds:.0f} s for {virtual:.0f} min of it",
        "Запросов команд: {calls}, больше всего за секунду {peak}; {seconds:.0f} с на {virtual:.0f} мин прогона",
    ),
    "kind.http_requests": ("requests of the interface", "запросы к интерфейсу"),
    "kind.function_calls": ("calls of functions", "вызовы функций"),
    "kind.function_gb_s": ("functions, gigabyte-seconds", "работа функций, ГБ·с"),
    "kind.table_read_units": ("read units of tables", "единицы чтения таблиц"),
    "kind.table_write_units": ("write units of tables", "единицы записи таблиц"),
    "kind.object_reads": ("objects read", "чтения объектов"),
    "kind.object_writes": ("objects written", "записи объектов"),
    "kind.queue_requests": ("requests of queues", "запросы к очередям"),
    "kind.logged_gb": ("logs, gigabytes", "журналы, ГБ"),
    "kind.edge_requests": ("requests at the edge", "запросы к сети доставки"),
    "kind.edge_gb": ("traffic, gigabytes", "трафик, ГБ"),
    "asked": ("asked of the cloud", "запрошено у облака"),
    "counted": ("counted", "подсчитано"),
    "estimated": ("estimated", "по оценке"),
    "cost": (
        "Cost: {counted} {currency} of what was counted, {estimated} {currency} estimated for a final without faults",
        "Стоимость: {counted} {currency} по подсчёту, {estimated} {currency} по оценке финала без сбоев",
    ),
    "planted": (
        "The platform's copy has the bug «{bug}» on purpose.",
        "В копию платформы намеренно внесена ошибка «{bug}».",
    ),
    "program": ("Your program", "Ваша программа"),
    "program_answered": (
        "{answered} of {files} files answered in time",
        "Вовремя отвечено файлов: {answered} из {files}",
    ),
    "program_fine": ("Nothing would have been annulled.", "Ничего не было бы аннулировано."),
    "program_annulled": ("{count} files would have been annulled:", "Было бы аннулировано файлов: {count}."),
    "program_void": (
        "More than 5 % missed: the solution would have been annulled (R 7.7).",
        "Потеряно более 5 %: решение было бы аннулировано (п. 7.7).",
    ),
    "program_failed": ("The program stopped: {error}", "Программа остановилась: {error}"),
    "number": ("file", "файл"),
    "cause": ("cause", "причина"),
    "why": ("why", "почему"),
    "join": ("A final to join with a program of your own:", "Финал, к которому можно присоединить свою программу:"),
    "join_api": ("The API         {url}", "Адрес API       {url}"),
    "join_token": ("Your token      {token}", "Ваш токен       {token}"),
    "join_run": ("The run         {run}", "Прогон          {run}"),
    "join_start": (
        "It starts at    {starts_at}; join until {join_until}",
        "Начало          {starts_at}; присоединиться до {join_until}",
    ),
    "join_kit": (
        "With the kit    pku login {url} && pku start --mode final && pku run --solver COMMAND",
        "Через модуль    pku login {url} && pku start --mode final && pku run --solver КОМАНДА",
    ),
    "not_joined": ("No program joined.", "Ни одна программа не присоединилась."),
    "fate.answered": ("answered in time", "отвечен вовремя"),
    "fate.team_late": ("annulled: the team was late", "аннулирован: команда опоздала"),
    "fate.team_invalid": ("annulled: nothing valid came", "аннулирован: верного ответа не было"),
    "fate.network": ("annulled: the team's connection was down", "аннулирован: у команды не было связи"),
    "fate.platform": ("annulled: the platform's fault", "аннулирован: вина платформы"),
    "fate.organizer_decision": ("annulled by the organizers", "аннулирован решением организаторов"),
    **CHECKS,
    "injected.stalled": ("the platform slow for seconds", "платформа медлила секунды"),
    "injected.channel_away": ("a connection of the event channel cut", "обрыв соединения канала событий"),
    "injected.lost_request": ("a request lost before the platform", "запрос потерян до платформы"),
    "injected.lost_file": ("the answer with the file lost", "потерян ответ с файлом"),
    "injected.lost_answer": ("the platform's answer lost", "потерян ответ платформы"),
    "injected.unsent_answer": ("an answer lost before the platform", "ответ команды потерян до платформы"),
    "injected.lost_receipt": ("a receipt lost, sent again without a key", "квитанция потеряна, повтор без ключа"),
    "injected.lost_receipt_with_key": (
        "a receipt lost, sent again with its key",
        "квитанция потеряна, повтор с ключом",
    ),
    "injected.last_moment_request": ("asked for in the last millisecond", "запрос в последнюю миллисекунду"),
    "injected.late_request": ("asked for a millisecond too late", "запрос на миллисекунду позже срока"),
    "injected.no_request": ("never asked for", "файл не запрошен"),
    "injected.last_moment_answer": ("answered in the last millisecond", "ответ в последнюю миллисекунду"),
    "injected.late_answer": ("answered a millisecond too late", "ответ на миллисекунду позже срока"),
    "injected.late_improvement": ("a better answer after the deadline", "улучшенный ответ после срока"),
    "injected.two_requests_at_once": ("asked for twice at once", "два запроса файла сразу"),
    "injected.same_answer_twice_at_once": ("the same answer twice at once", "один ответ дважды сразу"),
    "injected.same_answer_twice_with_key": (
        "the same answer and key twice at once",
        "один ответ с ключом дважды сразу",
    ),
    "injected.two_answers_at_once": ("two answers at once", "два разных ответа сразу"),
    "injected.two_answers_with_one_key": ("two answers at once with one key", "два разных ответа с одним ключом"),
    "injected.other_essay_first": ("another essay's answer, then the right one", "чужое эссе, затем верный ответ"),
    "injected.other_essay_only": ("another essay's answer alone", "только чужое эссе"),
    "injected.broken_json_first": ("half an answer, then the right one", "обрывок ответа, затем верный ответ"),
    "injected.broken_json_only": ("half an answer alone", "только обрывок ответа"),
    "injected.twelve_sends": ("twelve answers to one file", "двенадцать ответов на один файл"),
    "injected.early_request": ("asked for long before the opening", "запрос задолго до открытия"),
    "injected.abandoned_request": (
        "a request whose process died, given up",
        "процесс завершился на запросе, повтора нет",
    ),
    "injected.abandoned_answer": (
        "an answer whose process died, given up",
        "процесс завершился на ответе, повтора нет",
    ),
    "injected.killed": ("a process killed at a write", "процесс завершён в момент записи"),
    "injected.throttled": ("a write throttled", "запись отклонена перегрузкой"),
    "injected.tick_missed": ("a tick of the minute timer missed", "такт минутного таймера пропущен"),
    "injected.tick_doubled": ("a tick doubled", "такт удвоен"),
    "injected.tick_late": ("a tick late", "такт опоздал"),
    "injected.tick_failed": ("a tick that failed", "такт не удался"),
    "injected.record_lost": (
        "an answer's record on the stream lost for good",
        "запись об ответе в потоке пропала навсегда",
    ),
    "injected.job_lost": (
        "an answer's message in the queue lost for good",
        "сообщение об ответе в очереди пропало навсегда",
    ),
    "injected.push_lost": (
        "the pushes of a file over the event channel lost for good",
        "отправки файла по каналу событий пропали навсегда",
    ),
    "injected.step_lost": (
        "a step towards record or board lost for good",
        "шаг к протоколу или лидерборду пропал навсегда",
    ),
    "injected.crowd": ("a crowd without good tokens at an opening", "толпа без верных токенов в момент открытия"),
    "injected.events": ("events duplicated, delayed or dropped at random", "события удвоены, задержаны или потеряны"),
}


def say(name: str, language: str, /, **values: object) -> str:
    """A text in a language; the name itself where there is none, so that a new name shows."""
    texts = _TEXTS.get(name)
    if texts is None:
        return name.rpartition(".")[2]
    return texts[language == RU].format(**values)


def names() -> frozenset[str]:
    """Every name that has texts."""
    return frozenset(_TEXTS)
