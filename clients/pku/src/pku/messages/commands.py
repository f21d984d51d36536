"""What the commands say when nothing is wrong. Name → (English, Russian)."""

from __future__ import annotations

from typing import Final

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "login.url": ("Address of the platform", "Адрес платформы"),
    "login.token": ("Token", "Токен"),
    "login.done": ("Logged in to {cycle}. Settings: {path}", "Вход выполнен: {cycle}. Настройки: {path}"),
    "start.done": (
        "Session {session_id}: {files:#file|files} of the {set} set. Next: pku run",
        "Сессия {session_id}: файлов {files}, выборка {set}. Дальше: pku run",
    ),
    "start.scheduled": (
        "Session {session_id} ({mode}): {files:#file|files} from {starts_at}, every {interval_s:g} s. Next: pku run",
        "Сессия {session_id} ({mode}): файлов {files}, с {starts_at}, каждые {interval_s:g} с. Дальше: pku run",
    ),
    "start.waiting": (
        "No run to join yet; looking again in {seconds} s. Ctrl-C stops waiting.",
        "Прогона пока нет; следующая проверка через {seconds} с. Ctrl-C прекращает ожидание.",
    ),
    "start.capped": (
        "Asked for: {requested:#file|files}; available: {files}.",
        "Запрошено файлов {requested}, есть {files}.",
    ),
    "run.resumed": (
        "Continuing session {session_id} ({mode}, {set} set)",
        "Продолжение сессии {session_id} ({mode}, выборка {set})",
    ),
    "run.trying": ("trying the solver on a sample", "проба программы на образце"),
    "run.progress": ("files", "файлы"),
    "run.opens": ("file {number} opens at {at} UTC", "файл {number} откроется в {at} UTC"),
    "run.paused": ("the run is paused", "прогон приостановлен"),
    "run.pause": (
        "The organizers have paused the run: {reason}. No file opens until they resume it.",
        "Организаторы приостановили прогон: {reason}. До возобновления файлы не открываются.",
    ),
    "run.pause_unexplained": (
        "The organizers have paused the run. No file opens until they resume it.",
        "Организаторы приостановили прогон. До возобновления файлы не открываются.",
    ),
    "run.pause_over": ("The run goes on.", "Прогон возобновлён."),
    "run.done": (
        "{accepted} of {files:#file|files} answered in time, {late} late, {failed} without an answer.",
        "Вовремя отвечено файлов: {accepted} из {files}, с опозданием {late}, без ответа {failed}.",
    ),
    "run.failure": ("file {number}: {text}", "файл {number}: {text}"),
    "run.interrupted": (
        "Stopped. Nothing is lost: the same command continues while the files' time lasts.",
        "Остановлено. Ничего не потеряно: та же команда продолжит, пока не вышло время файлов.",
    ),
    "run.empty": (
        "None of the {count} answers has a fragment: is that meant?",
        "Ни в одном из ответов ({count}) нет ни одного фрагмента: так и задумано?",
    ),
    "run.open": (
        "Session {session_id} is still open: the same command goes on with it, pku abort ends it.",
        "Сессия {session_id} ещё открыта: та же команда её продолжит, pku abort — прервёт.",
    ),
    "run.open_until": (
        "Session {session_id} is still open: until {until} UTC the same command tries files without an answer again.",
        "Сессия {session_id} ещё открыта: до {until} UTC та же команда повторит попытку с файлами без ответа.",
    ),
    "try.failure": ("essay {essay}: {text}", "эссе {essay}: {text}"),
    "try.answered": (
        "Validly answered: {answered} of {files:#essay|essays} ({share:.0%}).",
        "Верно оформленные ответы: {answered} из {files} эссе ({share:.0%}).",
    ),
    "try.longest": (
        "The longest took {seconds} s of {limit} s.",
        "Самый долгий занял {seconds} с из {limit} с.",
    ),
    "try.accuracies": ("Accuracy, %", "Точность, %"),
    "try.all": ("all", "все"),
    "try.codes": ("Fragments by code", "Фрагменты по кодам"),
    "try.more_codes": ("… {count} more codes: --json", "… ещё кодов: {count}, все — с ключом --json"),
    "try.ready": (
        "That is enough for a final, which needs {needed:.0%} of at least {least} files of the test set.",
        "Для финала этого достаточно: нужно {needed:.0%} не менее чем из {least} файлов тестовой выборки.",
    ),
    "try.not_ready": (
        "That is too few for a final, which needs {needed:.0%} of at least {least} files of the test set.",
        "Для финала этого мало: нужно {needed:.0%} не менее чем из {least} файлов тестовой выборки.",
    ),
    "try.no_cycle": (
        "Scored with the usual parameters. After pku login the cycle's are taken, and what a final needs is told.",
        "Оценено с обычными параметрами. После pku login применяются параметры цикла и показываются требования финала.",
    ),
    "stopped": ("Stopped.", "Остановлено."),
    "trouble.on": (
        "{why} So it has been since {since} UTC; trying again until {until} UTC.",
        "{why} Так с {since} UTC; попытки продолжаются до {until} UTC.",
    ),
    "trouble.over": ("The platform answers again.", "Платформа снова отвечает."),
    "trouble.files": (
        "Files in hand: {count}; the first must be answered by {due} UTC.",
        "Файлов на руках: {count}; на первый нужно ответить до {due} UTC.",
    ),
    "trouble.no_files": ("No file is in hand.", "Файлов на руках нет."),
    "trouble.waiting": ("Waiting for an answer of {host} …", "Ожидание ответа от {host} …"),
    "run.next": ("The report: pku report {session_id}", "Отчёт: pku report {session_id}"),
    "abort.question": (
        "End session {session_id}? It will not count.",
        "Прервать сессию {session_id}? Она не будет засчитана.",
    ),
    "abort.question_final": (
        "End session {session_id} of the FINAL? Your team's participation ends with it and cannot be resumed.",
        "Прервать сессию {session_id} ФИНАЛА? Участие команды на этом закончится, возобновить его нельзя.",
    ),
    "abort.done": ("Session {session_id} is {state}.", "Сессия {session_id}: {state}."),
    "abort.kept": ("Nothing was ended.", "Ничего не прервано."),
    "data.name": ("set", "выборка"),
    "data.kind": ("kind", "вид"),
    "data.items": ("items", "заданий"),
    "data.markups": ("experts' markups", "разметок экспертов"),
    "data.parts": ("parts", "части"),
    "data.done": (
        "{set}: {files:#file|files} in {folder}; {sums} has the SHA-256 of each.",
        "{set}: файлов {files}, папка {folder}; SHA-256 каждого — в {sums}.",
    ),
    "data.same": (
        "{set}: {files:#file|files} in {folder}, all there and unchanged ({sums}).",
        "{set}: файлов {files}, папка {folder}, все на месте и не изменились ({sums}).",
    ),
    "report.waiting": ("scoring", "оценивание"),
    "report.title": (
        "Session {session_id}: {set} set, {answered} of {files:#file|files} answered",
        "Сессия {session_id}: выборка {set}, отвечено файлов {answered} из {files}",
    ),
    "report.ready": (
        "Ready for a final: {share:.0%} of the files validly answered.",
        "Программа готова к финалу: на {share:.0%} файлов даны верно оформленные ответы.",
    ),
    "report.not_ready": ("Not ready for a final:", "Программа не готова к финалу:"),
    "report.delay_ms": (
        "From opening to hand-out: mean {mean} s, p50 {p50} s, p95 {p95} s, longest {max} s",
        "От открытия до выдачи: в среднем {mean} с, p50 {p50} с, p95 {p95} с, наибольшее {max} с",
    ),
    "report.trial": (
        "This was a trial run: nothing of it counts.",
        "Это пробный прогон: его результаты не учитываются.",
    ),
    "report.unpublished": (
        "No scores yet: the organizers publish the results of a final when the experts' work is done.",
        "Оценок пока нет: результаты финала публикуют организаторы, когда эксперты закончат работу.",
    ),
    "report.voided_file": ("file {number} is void: {cause}", "файл {number} аннулирован: {cause}"),
    "report.solution_voided": (
        "{voided_share:.1%} of the files were missed, more than the {allowed_share:.0%} allowed: the solution is void.",
        "Пропущено файлов: {voided_share:.1%}, допустимо {allowed_share:.0%}: всё решение аннулировано.",
    ),
    "report.solution_stands": (
        "{voided_share:.1%} of the files were missed; {allowed_share:.0%} are allowed.",
        "Пропущено файлов: {voided_share:.1%}, допустимо {allowed_share:.0%}.",
    ),
    "state.open": ("open", "открыта"),
    "state.finished": ("finished", "завершена"),
    "state.timed_out": ("timed out", "закрыта по времени"),
    "state.aborted": ("aborted", "прервана"),
    "state.stopped": ("stopped by the organizers", "остановлена организаторами"),
    "file.waiting": ("waiting", "не выдан"),
    "file.open": ("open", "открыт"),
    "file.answered": ("answered", "отвечен"),
    "file.voided": ("void", "аннулирован"),
    "status.accepted": ("accepted", "принят"),
    "status.late": ("late", "опоздал"),
    "status.ignored": ("ignored", "не засчитан"),
    "status.repeat": ("repeated", "повтор"),
    "kind.training": ("training", "обучающая"),
    "kind.test": ("test", "тестовая"),
    "kind.final": ("final", "финальная"),
    "kind.reserve": ("reserve", "резервная"),
    "mode.algorithmic": ("algorithmic", "алгоритмическая"),
    "mode.technical": ("technical", "техническая"),
    "mode.final": ("final", "финал"),
    "cause.team_late": ("the program was late or did not ask", "программа опоздала или не обратилась"),
    "cause.team_invalid": ("only invalid answers came", "приходили только неверно оформленные ответы"),
    "cause.network": ("the connection was lost", "пропала связь"),
    "cause.platform": ("a fault of the platform", "сбой платформы"),
    "cause.organizer_decision": ("the organizers' decision", "решение организаторов"),
    "report.processing_ms": (
        "Processing time: mean {mean} s, p50 {p50} s, p95 {p95} s, longest {max} s",
        "Время обработки: среднее {mean} с, p50 {p50} с, p95 {p95} с, наибольшее {max} с",
    ),
    "report.chart": ("Accuracy by metric, %", "Точность по метрикам, %"),
    "report.algorithm": ("program", "программа"),
    "report.experts": ("experts", "эксперты"),
    "report.more": ("… {count} more files: --all", "… ещё файлов: {count}, см. --all"),
    "compare.title": ("File {number}, expert {expert}", "Файл {number}, эксперт {expert}"),
    "compare.own": ("own fragment", "свой фрагмент"),
    "compare.expert": ("expert's fragment", "фрагмент эксперта"),
    "compare.metric": ("metric", "метрика"),
    "compare.value": ("%", "%"),
    "compare.pair_accuracy": ("pair accuracy", "парная точность"),
    "receipts.good": ("signature is good", "подпись верна"),
    "receipts.unknown_key": ("unknown key", "неизвестный ключ"),
    "receipts.bad_signature": ("BAD SIGNATURE", "ПОДПИСЬ НЕВЕРНА"),
    "receipts.bad_times": ("DECIDED BEFORE RECEIVED", "РЕШЕНО РАНЬШЕ ПОЛУЧЕНИЯ"),
    "receipts.summary": ("{good} of {count} signatures are good", "Верных подписей: {good} из {count}"),
    "board.title": ("Leaderboard of the qualification: {board}", "Лидерборд квалификации: {board}"),
    "board.title_final": ("Leaderboard of the final: {board}", "Лидерборд финала: {board}"),
    "board.empty": (
        "Nobody is on the board yet. It takes answers to 95 % of the test set, and experts' markups to score them by.",
        "На лидерборде пока никого. Нужны ответы на 95 % тестовой выборки и разметки экспертов, чтобы их оценить.",
    ),
    "board.empty_whole": (
        "Nobody is on the board yet. It takes a session over the whole test set.",
        "На лидерборде пока никого. Нужна сессия на всей тестовой выборке.",
    ),
    "board.empty_final": ("Nobody has a place on this board.", "На этом лидерборде нет ни одной команды."),
    "board.overcame": ("overcome", "преодолён"),
    "board.flagged": ("⚠ with missed files as zero {value}", "⚠ с пропусками как нулями {value}"),
    "doctor.measuring": ("measuring", "измерение"),
    "doctor.clock": (
        "Clock: the platform is {by_ms} ms ahead (± {uncertainty_ms} ms); the kit reckons with it.",
        "Часы: платформа впереди на {by_ms} мс (± {uncertainty_ms} мс); модуль это учитывает.",
    ),
    "doctor.clock_fast": (
        "Clock: the platform is {by_ms} ms behind (± {uncertainty_ms} ms); the kit reckons with it.",
        "Часы: платформа отстаёт на {by_ms} мс (± {uncertainty_ms} мс); модуль это учитывает.",
    ),
    "doctor.latency": (
        "Answers take {p50_ms} ms (p99 {p99_ms}, longest {max_ms}): {margin_s} s of a request's {limit_s} s left.",
        "Ответы за {p50_ms} мс (p99 {p99_ms}, самый долгий {max_ms}): на запрос остаётся {margin_s} с из {limit_s} с.",
    ),
    "doctor.solver": (
        "The solver needs {longest_s} s at most on the samples; {margin_s} s of {limit_s} s are left for an answer.",
        "Программа тратит на образцы не более {longest_s} с: на ответ остаётся {margin_s} с из {limit_s} с.",
    ),
    "doctor.solver_failed": ("The solver fails on {file}: {error}", "Программа не справилась с {file}: {error}"),
    "doctor.journals": ("Journals: {path}, {free_mib} MiB free", "Журналы: {path}, свободно {free_mib} МиБ"),
    "doctor.journals_unwritable": (
        "Journals cannot be written to {path} ({why}).",
        "Журналы не записываются в {path} ({why}).",
    ),
    "doctor.run": (
        "Next run: {mode} {run_id} at {starts_at}, a file every {interval_s:g} s; join until {join_until}",
        "Ближайший прогон: {mode} {run_id} в {starts_at}, файл каждые {interval_s:g} с; вход до {join_until}",
    ),
    "doctor.kit": ("The kit is the published one, {here}.", "Модуль совпадает с опубликованным, версия {here}."),
    "doctor.kit_unpublished": (
        "The kit is {here}; the platform publishes none.",
        "Версия модуля {here}; на платформе модуль не опубликован.",
    ),
    "doctor.kit_other": (
        "The kit here is {here}, the published one {version} since {since}. To install: {command}",
        "Здесь модуль версии {here}, опубликован {version} с {since}. Установить: {command}",
    ),
    "doctor.kit_changed": (
        "This kit {here} differs from the published one, and nobody may change it (R 4.3, 11.4). To install: {command}",
        "Этот модуль {here} отличается от опубликованного, а изменять его нельзя (R 4.3, 11.4). Установить: {command}",
    ),
    "doctor.kit_unsigned": (
        "The platform's list of the kit is not signed with its key; do not install from it, ask the organizers.",
        "Список файлов модуля не подписан ключом платформы; не устанавливайте по нему, обратитесь к организаторам.",
    ),
    "doctor.no_run": ("No run is announced.", "Прогонов не объявлено."),
    "doctor.end_good": ("Ready.", "Готово к прогону."),
    "doctor.end_warning": ("Ready, but look at what is marked with !", "Готово, но обратите внимание на отмеченное !"),
    "doctor.end_fault": (
        "Not ready: what is marked with ✗ would cost files.",
        "Не готово: отмеченное ✗ приведёт к потере файлов.",
    ),
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
        "Looked at signatures: {signatures}, files: {files}, sessions: {sessions}, files that came here: {own_files}.",
        "Проверено: подписей {signatures}, файлов {files}, сессий {sessions}, полученных здесь файлов {own_files}.",
    ),
    "proof.no_commitment_kept": (
        "This machine kept no commitment from before the run, so only the platform's own word stands for it.",
        "На этой машине нет обязательства, сохранённого до прогона: за него ручается только платформа.",
    ),
    "proof.fair": ("The run was as promised.", "Прогон прошёл, как было обещано."),
    "proof.unfair": (
        "The run was NOT as promised. Keep these files and tell the technical commission.",
        "Прогон прошёл НЕ так, как обещано. Сохраните эти файлы и сообщите технической комиссии.",
    ),
    "archive.missing_file": ("The file {name} is missing.", "Нет файла {name}."),
    "archive.unlisted_file": (
        "The file {name} is not in the manifest, or there twice.",
        "Файла {name} нет в манифесте, или он встречается дважды.",
    ),
    "archive.another_content": (
        "The file {name} is not what the manifest says.",
        "Файл {name} не тот, что в манифесте.",
    ),
    "archive.missing_markup": (
        "The markup of file {file} by {team} is missing.",
        "Нет разметки файла {file} команды {team}.",
    ),
    "archive.unknown_team": (
        "The board names {team}, of whom nothing is in the archive.",
        "В лидерборде есть {team}, но в архиве о ней ничего нет.",
    ),
    "archive.another_number": (
        "The board has another {number} of {team} than comes out: {found}.",
        "В лидерборде у {team} другое значение {number}, пересчёт даёт: {found}.",
    ),
    "archive.annulled_solution": (
        "{team} missed {share} of its files and has a place all the same.",
        "{team} пропустила {share} файлов, но занимает место.",
    ),
    "archive.looked_at": (
        "Looked at {files:#file|files}, scored {markups:#markup|markups}, recomputed {teams:#team|teams}.",
        "Проверено файлов: {files}, оценено разметок: {markups}, пересчитано команд: {teams}.",
    ),
    "archive.sound": (
        "The archive is sound: its markups make its board.",
        "Архив верен: разметки дают тот же лидерборд.",
    ),
    "archive.unsound": ("The archive is NOT sound.", "Архив НЕ верен."),
    "column.subject": ("subject", "предмет"),
    "column.essays": ("essays", "эссе"),
    "column.algorithm": ("program", "программа"),
    "column.experts": ("experts", "эксперты"),
    "column.code": ("code", "код"),
    "column.of_experts": ("experts'", "у экспертов"),
    "column.found": ("found", "найдено"),
    "column.named": ("same code", "с тем же кодом"),
    "column.own": ("own", "своих"),
    "column.stray": ("no expert has", "нет у экспертов"),
    "column.place": ("place", "место"),
    "column.team": ("team", "команда"),
    "column.files": ("files", "файлы"),
    "column.relative": ("OTAR, %", "ОТАР, %"),
    "compare.score": ("file {number}: the score", "файл {number}: оценка"),
    "column.interval": ("95 % interval", "95 %-й интервал"),
    "column.barrier": ("barrier", "барьер"),
    "column.session": ("session", "сессия"),
    "column.set": ("set", "выборка"),
    "column.language": ("language", "язык"),
    "column.state": ("state", "состояние"),
    "column.opened": ("opened", "открыта"),
    "column.answered": ("answered", "отвечено"),
    "column.number": ("no.", "№"),
    "column.file": ("file", "файл"),
    "column.send": ("send", "отправка"),
    "column.received": ("received", "получено"),
    "column.signature": ("signature", "подпись"),
    "column.answer_by": ("answer by", "ответить до"),
    "column.cause": ("cause", "причина"),
}
