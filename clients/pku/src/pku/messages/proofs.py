"""Findings of ``pku verify-run`` and messages about submissions. Name → (English, Russian)."""

from __future__ import annotations

from typing import Final

PROOFS: Final = {
    "proof.commitment_differs": (
        "The record is of another commitment than the one the platform shows.",
        "Протокол относится к другому обязательству, чем показывает платформа.",
    ),
    "proof.commitment_was_other": (
        "The commitment was another one when this machine joined the run.",
        "Когда эта машина присоединилась к прогону, обязательство было другим.",
    ),
    "proof.amendments_differ": (
        "The decisions in the record are not those the platform shows.",
        "Решения в протоколе не те, что показывает платформа.",
    ),
    "proof.amendments_were_other": (
        "The decisions were others when this machine last looked at the run.",
        "Когда эта машина в прошлый раз обращалась к прогону, решения были другими.",
    ),
    "proof.roster_differs": (
        "The sealed list of teams is that of another run.",
        "Запечатанный список команд относится к другому прогону.",
    ),
    "proof.roster_was_other": (
        "The sealed list of teams is not the one that the platform showed when joining was over.",
        "Запечатанный список команд не тот, что платформа показала, когда вход закрылся.",
    ),
    "proof.let_in_otherwise": (
        "The teams in the record ({said}) are not those that were let in ({due}): one is left out, added or another.",
        "Команды в протоколе ({said}) не те, что вошли в прогон ({due}): какая-то пропущена, добавлена или заменена.",
    ),
    "proof.record_was_other": (
        "The record was another one when this machine last looked at the run.",
        "Когда эта машина в прошлый раз обращалась к прогону, протокол был другим.",
    ),
    "proof.out_of_order": (
        "The {statement} is out of order: its number or its moment is not after the one before.",
        "{statement}: нарушен порядок, номер или время не позже предыдущих.",
    ),
    "proof.seal_differs": (
        "Ruling {number} is opened with another content than was sealed.",
        "Решение {number} раскрыто с другим содержанием, чем было скрыто под хешем.",
    ),
    "proof.seal_unopened": (
        "The sealed ruling {number} is opened nowhere.",
        "Скрытое решение {number} нигде не раскрыто.",
    ),
    "proof.ruling_unsealed": (
        "Ruling {number} is opened without a seal in the chain, or twice.",
        "Решение {number} раскрыто, но его хеша в цепочке нет, или раскрыто дважды.",
    ),
    "proof.seal_hides": (
        "The seal {number} hides a decision that everybody was to be told of.",
        "Под хешем {number} скрыто решение, о котором следовало сообщить всем.",
    ),
    "proof.ruling_of_nobody": (
        "Ruling {number} is about file {file} of the team {team}, which the record does not have.",
        "Решение {number} — о файле {file} команды {team}, которых в протоколе нет.",
    ),
    "proof.ruled_later": (
        "Ruled after the record was made, which does not show it ({number}): {what}. {reason}",
        "Решение {number} принято после протокола и в нём не отражено: {what}. {reason}",
    ),
    "proof.slow_body": (
        "Team {team}, file {number}: the answer was there as a whole {seconds} s after its headers.",
        "Команда {team}, файл {number}: ответ получен целиком через {seconds} с после заголовков.",
    ),
    "proof.unknown_key": (
        "The {statement} is signed with the unknown key {key_id}.",
        "{statement}: подпись неизвестным ключом {key_id}.",
    ),
    "proof.bad_signature": ("The signature of the {statement} is wrong.", "{statement}: подпись неверна."),
    "proof.broken_chain": (
        "The {statement} does not follow the statement before it.",
        "{statement}: не следует за предыдущей подписанной записью.",
    ),
    "proof.record_changed": (
        "The record is not the one that was signed.",
        "Протокол не тот, что был подписан.",
    ),
    "proof.files_swapped": (
        "The files are not those committed to (statement {statement}).",
        "Файлы не те, на которые было дано обязательство (запись {statement}).",
    ),
    "proof.opening_moved": (
        "File {number} opened at {said}; by commitment and decisions it was due at {due}.",
        "Файл {number} открылся в {said}; по обязательству и решениям — в {due}.",
    ),
    "proof.opened_early": (
        "Team {team} got file {number} before it opened.",
        "Команда {team} получила файл {number} до его открытия.",
    ),
    "proof.late_counted": (
        "Team {team}: an answer to file {number} counts that came after its deadline.",
        "Команда {team}: засчитан ответ на файл {number}, пришедший после срока.",
    ),
    "proof.decided_early": (
        "Team {team}: the answer to file {number} was decided on before it came.",
        "Команда {team}: об ответе на файл {number} решено раньше, чем он пришёл.",
    ),
    "proof.head_differs": (
        "The record says {field} {said}; by commitment and decisions it is {due}.",
        "В протоколе {field}: {said}; по обязательству и решениям — {due}.",
    ),
    "proof.record_lacks": (
        "The record is not complete, or names something twice: {what}.",
        "Протокол неполон или называет что-то дважды: {what}.",
    ),
    "proof.plan_moved": (
        "The record says that file {number} was to open at {said}; by the commitment it was {due}.",
        "По протоколу файл {number} должен был открыться в {said}; по обязательству — в {due}.",
    ),
    "proof.joined_late": (
        "Team {team} joined after the last moment, {due}.",
        "Команда {team} присоединилась позже последнего момента, {due}.",
    ),
    "proof.ended_otherwise": (
        "Team {team}: its session cannot have ended at {closed} as the record says ({said}).",
        "Команда {team}: её сессия не могла завершиться в {closed} так, как сказано в протоколе ({said}).",
    ),
    "proof.never_closed": (
        "Team {team}: the record does not say when its session ended, or it ended before it began.",
        "Команда {team}: в протоколе нет конца сессии, или он раньше её начала.",
    ),
    "proof.row_differs": (
        "Team {team}, file {number}: the record says {field} {said}; by the rules it is {due}.",
        "Команда {team}, файл {number}: в протоколе {field}: {said}; по правилам — {due}.",
    ),
    "proof.deadlines_differ": (
        "File {number}: teams had shorter times for an answer than promised, and not the same.",
        "Файл {number}: время на ответ у команд короче обещанного и неодинаково.",
    ),
    "proof.receipt_differs": (
        "Team {team}, file {number}: the record has another {field} than the signed receipt.",
        "Команда {team}, файл {number}: {field} в протоколе не тот, что в подписанной квитанции.",
    ),
    "proof.receipt_unknown_key": (
        "Team {team}, file {number}: a receipt is signed with an unknown key.",
        "Команда {team}, файл {number}: квитанция подписана неизвестным ключом.",
    ),
    "proof.receipt_bad_signature": (
        "Team {team}, file {number}: the signature of a receipt is wrong.",
        "Команда {team}, файл {number}: подпись квитанции неверна.",
    ),
    "proof.receipt_bad_times": (
        "Team {team}, file {number}: by its receipt an answer was decided on before it came.",
        "Команда {team}, файл {number}: по квитанции об ответе решено раньше, чем он пришёл.",
    ),
    "proof.own_session_missing": (
        "The record does not know the session {session_id} of this machine.",
        "В протоколе нет сессии {session_id} этой машины.",
    ),
    "proof.own_file_differs": (
        "File {number} as it came here is not the one committed to.",
        "Файл {number}, полученный здесь, не тот, на который дано обязательство.",
    ),
    "proof.own_time_differs": (
        "The record has another hand-out time of file {number} than was told here.",
        "Время выдачи файла {number} в протоколе не то, что было сообщено здесь.",
    ),
    "proof.own_answer_differs": (
        "The record has another time of the answer to file {number} than its receipt.",
        "Время ответа на файл {number} в протоколе не то, что в квитанции.",
    ),
    "proof.looked_at": (
        (
            "Looked at signatures: {signatures}, files: {files}, sessions: {sessions}, rulings: {rulings}, "
            "files that came here: {own_files}."
        ),
        (
            "Проверено: подписей {signatures}, файлов {files}, сессий {sessions}, решений о файлах команд {rulings}, "
            "полученных здесь файлов {own_files}."
        ),
    ),
    "proof.no_commitment_kept": (
        "This machine kept no commitment from before the run, so only the platform's own word stands for it.",
        "На этой машине нет обязательства, сохранённого до прогона: за него ручается только платформа.",
    ),
    "proof.waiting": (
        "The run is not over; waiting for its end, expected {ends_at}.",
        "Прогон не завершён; ожидается его окончание: {ends_at}.",
    ),
    "proof.fair": ("The run was as promised.", "Прогон прошёл, как было обещано."),
    "proof.unfair": (
        "The run was NOT as promised. Keep these files and tell the technical commission.",
        "Прогон прошёл НЕ так, как обещано. Сохраните эти файлы и сообщите технической комиссии.",
    ),
}


SUBMISSIONS: Final[dict[str, tuple[str, str]]] = {
    "submit.measuring": ("reading the file", "чтение файла"),
    "submit.bringing": ("uploading", "загрузка"),
    "submit.announced": (
        "Submission {submission_id}: handed in, {size} bytes. Receipt: {path}",
        "Посылка {submission_id}: отправлена, {size} байт. Квитанция: {path}",
    ),
    "submit.bad_receipt": (
        "The receipt is not signed by a key that pku login has saved ({fault}): keep it, and tell the organizers.",
        "Квитанция подписана не тем ключом, что сохранил pku login ({fault}): сохраните её и сообщите организаторам.",
    ),
    "submit.state": ("{at} UTC, state: {became}", "{at} UTC, состояние: {became}"),
    "submit.refused": ("It was refused:", "Посылка не принята:"),
    "submit.failed": ("It has failed: {failure}.", "Посылка не оценена: {failure}."),
    "submit.failed_platform": (
        "This costs no attempt; the organizers can have it run again.",
        "Попытка не израсходована; организаторы могут запустить программу заново.",
    ),
    "submit.logs": (
        "What it has written: pku submissions {submission_id} --logs",
        "Вывод программы: pku submissions {submission_id} --logs",
    ),
    "submit.interrupted": (
        "Stopped. Nothing is lost: the same command goes on, and what was handed in is scored without it.",
        "Остановлено. Ничего не потеряно: та же команда продолжит, а отправленное оценят и без неё.",
    ),
    "submit.left": (
        "Left today: {scored} scored, {unscored} not scored; again at {at}.",
        "Осталось на сегодня: оценённых — {scored}, неоценённых — {unscored}; снова в {at}.",
    ),
    "submit.later": (
        "It is scored without this machine: pku submissions {submission_id}",
        "Оценка идёт без этой машины: pku submissions {submission_id}",
    ),
    "submissions.title": ("Submissions", "Посылки"),
    "submissions.none": ("There are no submissions. pku submit FILE", "Посылок нет. pku submit ФАЙЛ"),
    "submissions.missing": ("Without an answer: {items}", "Без ответа: {items}"),
    "submissions.run": (
        "Run on {machine}: {seconds} s, exit code {code}.",
        "Запуск: {machine}, {seconds} с, код завершения {code}.",
    ),
    "submissions.not_enforced": ("Not enforced there: {text}", "Не обеспечено: {text}"),
    "submissions.stream": ("── {stream}, {size} bytes kept ──", "── {stream}, сохранено байт: {size} ──"),
    "column.submission": ("submission", "посылка"),
    "column.kind": ("kind", "вид"),
    "column.created": ("begun, UTC", "начата, UTC"),
    "column.value": ("value", "значение"),
    "kind.answers": ("answers", "ответы"),
    "kind.program": ("program", "программа"),
    "became.uploading": ("being uploaded", "загружается"),
    "became.checking": ("being checked", "проверяется"),
    "became.refused": ("refused", "не принята"),
    "became.queued": ("waiting for a machine", "ждёт машины"),
    "became.running": ("running", "выполняется"),
    "became.scoring": ("being scored", "оценивается"),
    "became.scored": ("scored", "оценена"),
    "became.failed": ("failed", "не оценена"),
    "failure.image": ("its image cannot be had, or is too large", "образ недоступен или слишком велик"),
    "failure.exit_code": ("the program ended with an error", "программа завершилась с ошибкой"),
    "failure.timeout": ("the program took too long", "программа не уложилась во время"),
    "failure.out_of_memory": ("the program took too much memory", "программе не хватило памяти"),
    "failure.no_output": ("the program wrote nothing into output/", "программа ничего не записала в output/"),
    "failure.bad_output": (
        "output/ holds a link, a folder, or a file that is too large",
        "в output/ есть ссылка, папка или слишком большой файл",
    ),
    "failure.platform": ("a fault of the platform", "сбой платформы"),
    "error.submission_unreadable": ("{path} cannot be read: {why}.", "Файл {path} не читается: {why}."),
    "error.submission_empty": ("{path} is empty.", "Файл {path} пуст."),
    "error.submission_too_large_here": (
        "{path} takes {size} bytes, at most {most} are taken.",
        "{path} занимает {size} байт, принимается не больше {most}.",
    ),
    "error.submission_changed": (
        "{path} was changed while it was uploaded. Run the command again: it becomes another submission.",
        "Файл {path} изменился во время загрузки. Повторите команду: это будет другая посылка.",
    ),
    "error.submission_parts_lost": (
        "The platform still misses parts of submission {submission_id}. Run the command again.",
        "Платформе всё ещё не хватает частей посылки {submission_id}. Повторите команду.",
    ),
    "error.no_submissions": (
        "This contest takes no whole submissions: pku run works through a session.",
        "В этом конкурсе посылки не принимаются: файлы сессии обрабатывает pku run.",
    ),
    "error.doctor_no_programs": (
        "No programs are submitted to this contest: pku doctor --solver tries one that answers file by file.",
        "В этом конкурсе программы не присылают: pku doctor --solver проверит ту, что отвечает по одному файлу.",
    ),
    "error.doctor_programs_alone": (
        "This contest takes whole programs, not answers file by file: pku doctor --archive FILE.",
        "Этот конкурс принимает программы целиком, а не ответы по файлам: pku doctor --archive ФАЙЛ.",
    ),
    "error.submission_kind": (
        "This contest takes {taken}, not {wanted}: say --kind.",
        "Этот конкурс принимает {taken}, а не {wanted}: укажите --kind.",
    ),
    "error.submissions_only": (
        "Programs of the contest {name} are submitted whole: pku submit FILE.",
        "Программы конкурса {name} отправляются целиком: pku submit ФАЙЛ.",
    ),
    "error.archive_refused": (
        "{path} would be refused, so nothing was sent; everything that is wrong with it stands above.",
        "{path} не приняли бы, поэтому ничего не отправлено; всё, что с ним не так, перечислено выше.",
    ),
    "error.give_up_alone": (
        "--give-up takes the ID of the upload, and no other option: pku submissions ID --give-up",
        "--give-up принимает ID загрузки и никаких других параметров: pku submissions ID --give-up",
    ),
    "error.no_submission": ("Your team has no submissions.", "У вашей команды нет посылок."),
    "hint.submission_under_way": (
        "The upload is kept: the same command goes on when the other one has ended.",
        "Загруженное сохранено: когда с другой посылкой закончат, та же команда продолжит.",
    ),
    "hint.submissions_exhausted": (
        "The upload is kept for a day: the same command goes on then.",
        "Загруженное хранится сутки: тогда та же команда продолжит.",
    ),
}
