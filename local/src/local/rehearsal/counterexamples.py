"""Counter-examples in Russian: a check says each in English, where it found it; here is how a person reads it.

The proof stays free of words in two languages: its sentences go into the report as they are, and what is shown is
matched with its pattern here. A test reads the proof's sources and finds the sentence that has no Russian.
"""

from __future__ import annotations

import re
from typing import Final

from local.rehearsal.messages import EN, RU, names, say

_PLACES: Final[tuple[tuple[str, str], ...]] = (
    ("stranger, call {call} ({what})", "посторонний, запрос {call} ({what})"),
    ("{file}, send {send} ({status}), call {call}", "{file}, отправка {send} ({status}), запрос {call}"),
    ("{team}, file {number}, call {call}", "{team}, файл {number}, запрос {call}"),
    ("{team}, file {number}, answer {digest}", "{team}, файл {number}, ответ {digest}"),
    ("{team}, file {number}", "{team}, файл {number}"),
    ("{team}, call {call} ({what})", "{team}, запрос {call} ({what})"),
    ("{team}, call {call}", "{team}, запрос {call}"),
    ("the private board {key}", "лидерборд закрытого теста {key}"),
    ("the prizes of {key}", "призы {key}"),
    ("{team}, {name}", "{team}, {name}"),
    ("the board {key}, {team}", "лидерборд {key}, {team}"),
    ("the board {key}", "лидерборд {key}"),
    ("RELEASE#{number}", "выпуск {number}"),
)
"""Where something was found: what stands before the first colon."""

_SAID: Final[tuple[tuple[str, str], ...]] = (
    # archive
    ("the archive is answered {status} before the publication", "на запрос архива отвечено {status} до публикации"),
    ("there is no archive of the published results", "у опубликованных результатов нет архива"),
    (
        "the archive's board shows {shown}, the replay gives {expected}",
        "лидерборд архива: {shown}, пересчёт: {expected}",
    ),
    ("the archive's record is another one than everybody's", "протокол в архиве не тот, что у всех"),
    (
        "the archive's manifest tells of {name} otherwise than it is",
        "опись архива говорит о {name} не то, что есть",
    ),
    (
        "the archive has not the essay of file {number} as it was handed out",
        "в архиве нет эссе файла {number}, каким оно выдано",
    ),
    (
        "the archive has other experts' markups of file {number} than there are",
        "в архиве не те разметки экспертов к файлу {number}",
    ),
    ("the archive tells who has made {name}", "архив называет автора {name}"),
    ("the archive does not tell of the team", "в архиве нет команды"),
    (
        "the archive tells other fates of the files than the session",
        "в архиве судьбы файлов не те, что в сессии",
    ),
    (
        "the archive has another answer than the one that counts",
        "в архиве не тот ответ, который засчитан",
    ),
    # programs
    ("the receipt has no good signature", "подпись квитанции неверна"),
    ("another receipt than the first time", "не та квитанция, что в первый раз"),
    ("its receipt is not stored", "квитанция не сохранена"),
    ("ended as {found}, played was {wanted}", "завершена как {found}, а сыграно {wanted}"),
    ("what was given up is {state}", "загрузка прекращена, а состояние — {state}"),
    (
        "with {scored} scored and {unscored} not it is answered {status}",
        "оценено {scored}, не оценено {unscored}, а отвечено {status}",
    ),
    ("taken while {name} is under way", "принята, пока {name} в работе"),
    ("is told what {others} has printed", "показано, что напечатала {others}"),
    ("the logs are another run's", "журналы другого запуска"),
    ("is told of the private run {name}", "сообщено о закрытом запуске {name}"),
    ("{found} is run in private, chosen was {due}", "в закрытом тесте запущено {found}, выбрано {due}"),
    ("the private test is not published", "закрытый тест не опубликован"),
    (
        "has a prize of models that share, nothing is confirmed",
        "приз за общую модель, хотя ничего не подтверждено",
    ),
    ("is still {state}", "всё ещё в состоянии {state}"),
    ("{messages} messages are left", "осталось сообщений: {messages}"),
    # experts' markups
    ("tells of the markups {marks}", "в ответе разметки {marks}"),
    ("{path} is answered {status} before the publication", "на {path} отвечено {status} до публикации"),
    ("nobody was shown its own comparison after the publication", "после публикации никому не показано своё сравнение"),
    (
        "file {number} is shown with the markups {marks}, not {wanted}",
        "файл {number} показан с разметками {marks}, а не {wanted}",
    ),
    # what is around the final
    (
        "{path} is answered {status} ({code}), by the rules {wanted}",
        "на {path} отвечено {status} ({code}), по правилам {wanted}",
    ),
    ("{path} tells {place} as {told}, not {wanted}", "в {path} {place} — {told}, а не {wanted}"),
    ("{team} stands on {path}", "{team} стоит в {path}"),
    ("{team} is told as qualified: {told}", "прошедшей квалификацию названа {team}: {told}"),
    ("{path} by {who} is not in the log, or not in its turn", "{path}, {who}: нет в журнале или не в свой черёд"),
    ("the log does not tell of each of the staff", "журнал называет не всех сотрудников"),
    ("a session without a result", "сессия без результата"),
    (
        "the qualification board shows {shown}, the replay gives {expected}",
        "лидерборд квалификации показывает {shown}, пересчёт даёт {expected}",
    ),
    ("the board says {told} of {whole}, it is {answered}", "на лидерборде {told} из {whole}, а отвечено {answered}"),
    ("has a text of the final or the reserve", "в ответе текст финала или резерва"),
    ("file {number} is no fresh one of the reserve", "файл {number} не новый файл резерва"),
    ("file {number} is one of the reserve", "файл {number} из резерва"),
    ("the stopped run hands out a text", "остановленный прогон выдаёт текст"),
    (
        "a training file is told no score while its session is open",
        "пока сессия открыта, оценка тренировочного файла не названа",
    ),
    (
        "the audit tells {told}, with missed files as zeros it is {right}",
        "аудит воздержания называет {told}, с потерянными как нулями — {right}",
    ),
    ("an answer was refused without reasons", "ответ отвергнут без причин"),
    ("the team's list of receipts has it not", "в списке квитанций команды её нет"),
    ("the board says barrier {told} of {value}", "на лидерборде барьер: {told}, а ОТАР {value}"),
    (
        "no two teams have equal results, so that none shares a place",
        "нет двух команд с равными результатами, и никто не делит место",
    ),
    ("no result is just under the barrier", "нет результата чуть ниже барьера"),
    ("was never armed, and its file was handed out", "не подготовлен, а файл выдан"),
    ("was armed {ahead} ms before its opening", "подготовлен за {ahead} мс до открытия"),
    (
        "the session ended with {name} {told}, and has {last} at last",
        "сессия закончилась с {name} {told}, а под конец в ней {last}",
    ),
    # latency
    ("took {took} ms, {injected} ms were injected", "длилось {took} мс, внесено {injected} мс"),
    ("the answer is due at {told}, by the rules at {due}", "срок ответа — {told}, по правилам — {due}"),
    ("is told as handed out at {handed}", "выдачей названо {handed}"),
    # reports
    ("has no report", "нет отчёта"),
    ("the report does not tell of every file", "отчёт называет не все файлы"),
    (
        "the report says {state} ({cause}), the session another thing",
        "в отчёте {state} ({cause}), в сессии другое",
    ),
    ("the report tells {name} {told}, it was {moment}", "в отчёте {name} {told}, а было {moment}"),
    (
        "the report tells {name} {told}, by the files it is {made}",
        "в отчёте {name} {told}, а по файлам {made}",
    ),
    ("the report tells of missed files {told}, it is {made}", "в отчёте о потерянных файлах {told}, а на деле {made}"),
    (
        "the report has no accuracies though the results are published",
        "результаты опубликованы, а в отчёте нет точностей",
    ),
    ("the report's {name} is another than the replay's", "в отчёте {name} не то, что даёт пересчёт"),
    (
        "the report says that {told} was missed and annulled, it is {share}",
        "в отчёте потеряно и аннулировано {told}, а на деле {share}",
    ),
    ("its end is answered {status}", "на завершение сессии отвечено {status}"),
    (
        "another answer than the latest got the receipt of send {send}",
        "ответ, отличный от последнего, получил квитанцию отправки {send}",
    ),
    ("the hash of file {number}, {early} ms too early", "хеш файла {number} на {early} мс раньше срока"),
    ("leaves of the commitment have the same salt", "у листьев обязательства одна соль"),
    (
        "a leaf of the commitment has a salt that can be guessed",
        "соль листа обязательства можно подобрать",
    ),
    # sessions beside the final
    ("file {number} is answered {status}", "на файл {number} отвечено {status}"),
    ("next is {told}, the earliest file is {number}", "следующим назван {told}, самый ранний файл — {number}"),
    ("chosen was {name} {value}, the session has {told}", "выбрано {name} {value}, а в сессии {told}"),
    ("file {number} is another one than at first", "файл {number} не тот, что сначала"),
    (
        "file {number} is due after {due} ms, chosen were {limit} s",
        "срок файла {number} — через {due} мс, выбрано {limit} с",
    ),
    ("the answer came at {due}, its receipt says {told}", "ответ пришёл в {due}, в квитанции {told}"),
    ("the answer is {told}, not {wanted}", "ответ {told}, а не {wanted}"),
    ("the session is {told}, not {wanted}", "сессия {told}, а не {wanted}"),
    ("the silent session was closed after {silent} ms", "молчащая сессия закрыта через {silent} мс"),
    ("after its end it is answered {status}", "после её конца отвечено {status}"),
    ("an abort that nobody confirmed is answered {status}", "на неподтверждённое прерывание отвечено {status}"),
    ("{count} requests of one second were answered", "отвечено на запросов одной секунды: {count}"),
    ("an answer to an open file was refused for the rate", "ответ на открытый файл отвергнут из-за частоты"),
    ("no answer came within the second of its requests", "в ту же секунду ответа не было"),
    ("too large a body is answered {status}", "на слишком большое тело отвечено {status}"),
    ("{sends} sends are counted, it made {made}", "отправок подсчитано {sends}, сделано {made}"),
    ("is refused for the rate and not told when to come again", "отказ из-за частоты не называет, когда повторить"),
    ("a file is called {name}", "файл назван {name}"),
    ("a session is called {name}", "сессия названа {name}"),
    ("the log is not kept with its session", "журнал не хранится с его сессией"),
    ("the list has {told}, the team has {own}", "в списке {told}, у команды {own}"),
    ("{teams} have one session, {name}", "у {teams} одна сессия, {name}"),
    # answers
    ("another answer counts, or none", "засчитан другой ответ или никакой"),
    ("decided on before it was received", "решено раньше, чем получено"),
    ("accepted {late} ms after the deadline", "принято через {late} мс после срока"),
    ("asked for in time and answered {status}", "запрошено вовремя, отвечено {status}"),
    ("a valid answer in time was answered {status}", "на верный ответ, пришедший в срок, отвечено {status}"),
    ("an answer in time was called late", "ответ, пришедший в срок, признан опоздавшим"),
    ("send {send} was ignored", "отправка {send} не учтена"),
    ("handed out though nobody asked", "выдан, хотя никто не запрашивал"),
    ("handed out though it was asked for too late", "выдан, хотя запрошен слишком поздно"),
    (
        "the answer is due at {told}, by the rules between {earliest} and {latest}",
        "срок ответа — {told}, по правилам от {earliest} до {latest}",
    ),
    ("the signature is not good", "подпись неверна"),
    ("the receipt is not stored", "квитанция не сохранена"),
    ("the answer's bytes are not stored", "байты ответа не сохранены"),
    ("other bytes are stored than were receipted", "сохранены не те байты, на которые выдана квитанция"),
    ("the receipt speaks of other bytes than were sent", "в квитанции не те байты, что отправлены"),
    ("the turns {sends} were accepted and are not kept", "ходы {sends} приняты и не сохранены"),
    (
        "the receipt of send {send} signs another response than the library makes",
        "квитанция отправки {send} подписывает не тот ответ, который составляет библиотека",
    ),
    (
        "the dialogue is told with other turns or responses than it had",
        "диалог показан не с теми ходами или ответами, которые в нём были",
    ),
    ("the turn that was just taken is not told of", "только что принятого хода в ответе нет"),
    ("repetitions told different times: {told}", "при повторах названы разные моменты: {told}"),
    ("{count} sends were taken", "принято отправок: {count}"),
    ("sends are numbered {numbers}", "номера отправок: {numbers}"),
    ("{sends} sends are counted, {receipts} have receipts", "подсчитано отправок: {sends}, с квитанциями: {receipts}"),
    ("send {send} has {count} receipts", "у отправки {send} квитанций: {count}"),
    ("key {key} got {count} receipts", "на ключ {key} выдано квитанций: {count}"),
    (
        "the status tells {name} {told}, by the schedule it is {due}",
        "в состоянии сессии {name} — {told}, по расписанию — {due}",
    ),
    # files
    ("a file {file_id} that the run does not have", "файл {file_id}, которого в прогоне нет"),
    ("stored as handed out {early} ms before its opening", "записан как выданный за {early} мс до открытия"),
    ("file {number} {early} ms before its opening", "файл {number} за {early} мс до открытия"),
    (
        "is stored as opening at {opens_at}, planned for {planned_at}, due at {due}",
        "записано открытие в {opens_at}, планировалось на {planned_at}, по расписанию — {due}",
    ),
    ("is stored of another file", "записано о другом файле"),
    ("the session is {state}", "состояние сессии — {state}"),
    ("annulled without a cause", "аннулирован без причины"),
    ("the answer that counts has no score", "у засчитанного ответа нет оценки"),
    ("the run has no {name}", "у прогона нет {name}"),
    ("there is no board to hold against the replay", "нет лидерборда, который можно сверить с пересчётом"),
    ("record", "протокола"),
    ("board", "лидерборда"),
    ("run", "прогона"),
    ("{pk} waits in the outbox", "{pk} ждёт в исходящих"),
    ("{letter} is a dead letter", "{letter} — недоставленное сообщение"),
    ("{count} messages are left in {queue}", "в очереди {queue} осталось сообщений: {count}"),
    ("scored after {seconds} s", "оценён через {seconds} с"),
    ("a step of {session} that was lost", "потерянный шаг {session}"),
    ("the whole run", "всего прогона"),
    ("done after {seconds} s", "сделан через {seconds} с"),
    ("the session's status does not name it", "в состоянии сессии его нет"),
    ("a fault of the platform is counted as {fate}", "вина платформы засчитана так: {fate}"),
    ("is {fate}, by the rules {allowed}", "{fate}, а по правилам — {allowed}"),
    ("another content than was committed to", "не то содержимое, что было обещано"),
    # the crowd and those who look where they must not
    ("is told of the files {files}", "узнаёт о файлах {files}"),
    ("tells of files {files}", "в ответе названы файлы {files}"),
    ("is told that it opens at {told}", "сообщается, что он откроется в {told}"),
    ("is told of it", "сообщается о нём"),
    ("is told that the run is {state}", "сообщается, что прогон в состоянии {state}"),
    ("{place} is told that the run is {state}", "{place}: сообщается, что прогон в состоянии {state}"),
    ("is told {what}", "сообщается {what}"),
    ("is answered {status}", "отвечено {status}"),
    ("came in time and is answered {status}", "пришёл вовремя, отвечено {status}"),
    ("{place} speaks of {whom}", "{place}: там говорится о {whom}"),
    ("the stranger of call {call}", "постороннем из запроса {call}"),
    ("{place} is a connection without a token", "{place} — соединение без токена"),
    ("a connection that was stored", "сохранённое соединение"),
    ("file {number}, {early} ms before its opening, {rest}", "файл {number}, за {early} мс до открытия: {rest}"),
    ("{path} tells an essay's text", "{path}: в ответе текст эссе"),
    ("{path} tells of files {files}", "{path}: в ответе названы файлы {files}"),
    ("{path} is answered {status}", "{path}: отвечено {status}"),
    ("{place} is told of it", "{place}: сообщается о нём"),
    ("{place} is told that it opens at {told}", "{place}: сообщается, что он откроется в {told}"),
    ("{place} is told that it is {now}", "{place}: назван час {now}"),
    ("{place} is told to come again after {again} s, not {due}", "{place}: повторить через {again} с, а не {due}"),
    ("has {count} sessions", "сессий: {count}"),
    ("file {number} has the text of file {other}", "у файла {number} текст файла {other}"),
    ("{count} texts of ours", "наших текстов: {count}"),
    ("text {text} before its opening", "текст {text} до открытия"),
    ("joined after the last moment", "присоединилась после последнего момента"),
    # results, the record and its signatures
    ("the record says {said}, the session another thing", "в протоколе — {said}, в сессии — другое"),
    (
        "the session shows a share of {share}, the replay gives {given}",
        "в сессии доля {share}, при пересчёте — {given}",
    ),
    ("{share} (annulled: {annulled})", "{share} (аннулировано: {annulled})"),
    ("there are decisions though nobody decided anything", "есть решения, хотя никто ничего не решал"),
    ("the record has other teams than took part", "в протоколе не те команды, что участвовали"),
    ("the record does not tell of every release", "в протоколе не все открытия"),
    ("the record does not tell of every file", "в протоколе не все файлы"),
    ("the board shows {count} teams before its publication", "на лидерборде до публикации команд: {count}"),
    ("the board shows {shown}, the replay gives {expected}", "на лидерборде {shown}, при пересчёте — {expected}"),
    ("the board calls it {name}", "на лидерборде она названа {name}"),
    ("the audit says {audited} where nothing was missed", "по аудиту {audited}, хотя ничего не пропущено"),
    (
        "with missed files counted the audit says more, {audited}",
        "с учётом пропущенных файлов аудит даёт больше, {audited}",
    ),
    ("the score was written {times} times", "оценка записана столько раз: {times}"),
    ("the scored answer is not stored", "оценённый ответ не сохранён"),
    ("the library scores the answer differently", "библиотека оценивает ответ иначе"),
    (
        "the commitment promises {name} {said}, ordered was {ordered}",
        "в обязательстве {name} — {said}, а заказано {ordered}",
    ),
    (
        "the run's description tells a limit {name} of {said}, ordered was {ordered} ms",
        "в описании прогона предел {name} — {said}, а заказано {ordered} мс",
    ),
    (
        "the commitment of the {name} is another one than before the start",
        "обязательство {name} не то, что до начала",
    ),
    ("the board's {name} is another than the replay's", "{name} на лидерборде не то, что при пересчёте"),
    ("the board says {name} {said}, the replay {value}", "на лидерборде {name} — {said}, при пересчёте — {value}"),
    ("{count} scores for {wanted} accepted answers", "оценок: {count}, а принятых ответов: {wanted}"),
    (
        "the revealed rows do not lead to the root that was committed to",
        "раскрытые строки не дают корня из обязательства",
    ),
    ("the record has no good signature", "подпись протокола неверна"),
    ("the signed record is another one", "подписан другой протокол"),
    (
        "the record does not follow the last statement of the run",
        "протокол не продолжает последнюю подписанную запись прогона",
    ),
    ("{count} files were promised, {rows} rows are revealed", "обещано файлов: {count}, раскрыто строк: {rows}"),
    ("{name} has no good signature", "{name}: подпись неверна"),
    ("{name} does not follow the one before it", "{name}: не продолжает предыдущую запись"),
    ("the statement {name}", "запись {name}"),
    (
        "row {number} has another opening than the promised schedule",
        "в строке {number} открытие не по обещанному расписанию",
    ),
    (
        "the release of file {number} opens at {told}, the schedule says otherwise",
        "файл {number} открывается в {told}, а по расписанию иначе",
    ),
    # the other contests
    ("a score that nobody asked for", "оценка, которой никто не просил"),
    ("a missed file is scored {count} times, not {wanted}", "пропуск оценён раз: {count}, а должно быть {wanted}"),
    ("{count} scores where there should be {wanted}", "оценок {count}, а должно быть {wanted}"),
    ("the library scores what was accepted differently", "библиотека оценивает принятое иначе"),
    ("it shows {shown}, the replay gives {expected}", "на нём {shown}, при пересчёте — {expected}"),
    ("it is called {name}", "она названа {name}"),
    ("the totals are others than the replay's", "итоги не те, что при пересчёте"),
    ("{name} is {said}, the replay gives {value}", "{name} — {said}, при пересчёте — {value}"),
    # decisions
    ("the decision {kind} at {at} was answered {status}", "на решение {kind} в {at} отвечено {status}"),
    ("decision {number} ({kind})", "решение {number} ({kind})"),
    ("decision {number}", "решение {number}"),
    ("{name} is told as {told}, by the rules {value}", "{name} — {told}, по правилам {value}"),
    ("{name} is told as {told}, not {value}", "{name} — {told}, а не {value}"),
    ("the {name} tells of other decisions than were made: {found}", "в описании ({name}) не те решения: {found}"),
    (
        "the {name} tells decision {number} ({kind}) as {details}",
        "в описании ({name}) решение {number} ({kind}): {details}",
    ),
    ("rulings are told while the run goes on: {told}", "решения о файлах команд сообщены во время прогона: {told}"),
    ("it is told otherwise than while the run went on", "сообщено не то, что во время прогона"),
    (
        "the {name} does not open decision {number} ({kind})",
        "в описании ({name}) не раскрыто решение {number} ({kind})",
    ),
    (
        "the {name} opens decision {number} ({kind}) with another content than was sealed",
        "в описании ({name}) решение {number} ({kind}) раскрыто с другим содержанием, чем было скрыто под хешем",
    ),
    (
        "the {name} opens decision {number} ({kind}) as {details}",
        "в описании ({name}) решение {number} ({kind}) раскрыто как {details}",
    ),
    (
        "the {name} opens decision {number}, which is no ruling",
        "в описании ({name}) раскрыто решение {number}, а оно не о файле команды",
    ),
    ("the run tells of the pauses {told}, there were {made}", "в описании прогона паузы {told}, были {made}"),
    ("the record has the rows {rows} of it", "в протоколе его строки: {rows}"),
    ("row {number} has another opening than the decision gives", "в строке {number} открытие не по решению"),
    ("file {number} in a pause {rest}", "файл {number} в паузе: {rest}"),
    ("{team}, call {call}: file {number} in a pause", "{team}, запрос {call}: файл {number} в паузе"),
    ("file {number} is of another set", "файл {number} из другой выборки"),
    ("void for everybody, and is {state}", "аннулирован для всех, а состояние — {state}"),
    ("{path} is answered {status}", "на {path} отвечено {status}"),
    # the history itself
    ("the history cannot be read: {error}", "запись хода прогона не читается: {error}"),
    (
        "{examined} cases were looked at, in a rehearsal of this size there are {least}",
        "просмотрено случаев: {examined}, в репетиции такого размера их {least}",
    ),
    ("is {state}", "состояние — {state}"),
)
"""What was found. The first pattern that fits counts, so longer ones stand before those that are a part of them."""


Patterns = tuple[tuple[re.Pattern[str], str], ...]


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template)), re.DOTALL)


_PLACE_PATTERNS: Final = tuple((_pattern(english), russian) for english, russian in _PLACES)
_SAID_PATTERNS: Final = tuple((_pattern(english), russian) for english, russian in _SAID)


def told(fault: str, language: str) -> str:
    """A counter-example as a person reads it; what has no Russian words stays as the check said it."""
    if language == EN:
        return fault
    place, colon, rest = fault.partition(": ")
    found = _russian(rest, _SAID_PATTERNS)
    if found is None:
        return _russian(fault, _SAID_PATTERNS) or _russian(fault, _PLACE_PATTERNS) or fault
    where = _russian(place, _PLACE_PATTERNS) or _russian(place, _SAID_PATTERNS) or place
    return f"{where}{colon}{found}"


def _russian(sentence: str, patterns: Patterns) -> str | None:
    for pattern, russian in patterns:
        if found := pattern.fullmatch(sentence):
            return russian.format(**{name: _words(value) for name, value in found.groupdict().items()})
    return None


def _words(value: str) -> str:
    """A value in words: what became of a file, one of several of it, a sentence within a sentence."""
    if f"fate.{value}" in names():
        return say(f"fate.{value}", RU)
    if " or " in value:
        return " или ".join(_words(each) for each in value.split(" or "))
    return _russian(value, _SAID_PATTERNS) or _russian(value, _PLACE_PATTERNS) or value
