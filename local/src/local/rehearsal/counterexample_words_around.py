"""What is said of counterexamples in both languages, as templates: of what is around and beside a rehearsed final."""

from __future__ import annotations

from typing import Final

SAID_AROUND: Final[tuple[tuple[str, str], ...]] = (
    # archive
    ("the archive is answered {status} before the publication", "на запрос архива отвечено {status} до публикации"),
    # totals of programs
    ("its totals are withheld", "её итоги не сообщаются"),
    ("tells totals by which few requests are judged", "сообщает итоги, по которым видны ответы на отдельные запросы"),
    (
        "no team tried to read a request out of two submissions",
        "ни одна команда не пробовала узнать ответ на запрос по двум посылкам",
    ),
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
    ("the archive has {name}, which nobody gives over", "в архиве есть {name}, чего в нём быть не должно"),
    ("the archive has no {name}", "в архиве нет {name}"),
    ("the archive is refused by who verifies it, {codes}", "проверка архива находит ошибки: {codes}"),
    (
        "the archive's verifier makes {rows} rows of its board, it has others",
        "при проверке архива в лидерборде получается строк: {rows}, а в архиве их не столько",
    ),
    ("the archive has other parameters than the run", "в архиве не те параметры, что у прогона"),
    ("the archive has another classifier than the contest", "в архиве не тот классификатор, что у конкурса"),
    ("the archive has other rows than everybody is shown", "в архиве не те строки, что показаны всем"),
    ("the archive tells of the run otherwise than it was", "в архиве запуск описан не таким, каким он был"),
    ("the archive's board names a run that there is not", "лидерборд архива называет запуск, которого нет"),
    (
        "there is an archive of a stage whose data wait for the final",
        "есть архив этапа, данные которого не публикуются до итогов финала",
    ),
    ("its totals are withheld", "её итоги скрыты"),
    (
        "tells totals by which few requests are judged",
        "сообщает итоги, по которым можно судить о немногих запросах",
    ),
    (
        "no team tried to read a request out of two submissions",
        "ни одна команда не пыталась узнать ответ на запрос по двум посылкам",
    ),
    # rows of the record
    (
        "the record's {earlier} {first} is after its {later} {second}",
        "в протоколе {earlier} ({first}) позже, чем {later} ({second})",
    ),
    ("the record has its {there} and no {needed}", "в протоколе есть {there}, но нет {needed}"),
    (
        "the record's decision of {decided} is too long after {since}",
        "по протоколу решение принято в {decided}, слишком поздно после {since}",
    ),
    (
        "the record's evidence {name} {moment} is before {since}",
        "в протоколе основание {name} ({moment}) раньше, чем {since}",
    ),
    (
        "the record's evidence speaks of a push, and the file was asked for",
        "основание в протоколе говорит об отправке по каналу, а файл был запрошен",
    ),
    (
        "by the record it was handed out, and its release armed at {armed} by {by}",
        "по протоколу файл выдан, а его открытие подготовлено: {armed}, кем: {by}",
    ),
    (
        "by the record its release was armed at {armed}, after its hand-out at {handed}",
        "по протоколу открытие подготовлено в {armed}, после выдачи в {handed}",
    ),
    # attack on hidden references
    (
        "{met} places of references of {places} are told, of decoys {chance} at most",
        "сообщено мест эталонов: {met} из {places}, случайных мест — не более {chance}",
    ),
    ("{path} tells the hash of a reference, {found}", "{path} сообщает хеш эталона: {found}"),
    ("{path} tells of the references {found}", "{path} сообщает об эталонах: {found}"),
    ("a wrong answer has the result {result}", "у неверного ответа результат {result}"),
    ("{more} is told of one item", "об одном задании сообщено: {more}"),
    ("the event channel said nothing", "канал событий ничего не сообщил"),
    ("{names} files were pushed of {opened} open ones", "отправлено файлов: {names}, открыто: {opened}"),
    ("texts of {texts} files came, {opened} were open", "пришли тексты файлов: {texts}, открыто: {opened}"),
    (
        "{looks} times the pushes of a run were looked at, of {due}",
        "отправки файлов прогона просмотрены раз: {looks} из {due}",
    ),
    (
        "{path} tells of a run before its results are out",
        "{path} сообщает о прогоне до объявления результатов",
    ),
    ("{path} tells {count} true answers", "{path} сообщает верные ответы: {count}"),
    (
        "{path} tells a score of an item, where totals alone are told",
        "{path} сообщает балл одного задания, а сообщать можно только итоги",
    ),
    ("{path} tells {more} of a hidden file", "{path} сообщает о закрытом файле: {more}"),
    ("{path} tells {finer}, which is no whole per cent", "{path} сообщает {finer}, а это не целый процент"),
    (
        "totals of {count} answers are told beside those of {near}",
        "итоги по ответам ({count}) сообщены рядом с итогами по {near}",
    ),
    ("no totals of {count} answers are told", "итоги по ответам ({count}) не сообщены"),
    # roster of a run
    (
        "the record has another roster than everybody is shown",
        "список участников в протоколе не тот, что показан всем",
    ),
    ("the roster has no good signature", "подпись списка участников неверна"),
    ("the roster does not follow the commitment", "список участников не следует за обязательством"),
    (
        "the roster seals {sealed} sessions, the record has others: {found}",
        "в списке участников сессий: {sealed}, в протоколе другие: {found}",
    ),
    # programs
    ("the receipt has no good signature", "подпись квитанции неверна"),
    ("another receipt than the first time", "не та квитанция, что в первый раз"),
    ("its receipt is not stored", "квитанция не сохранена"),
    ("is not parted from {names}", "не отключён от {names}"),
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
    ("{path} is answered {status} after the publication", "на {path} отвечено {status} после публикации"),
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
    (
        "the board shows {shown}, its history {noted} as the latest",
        "на лидерборде {shown}, последняя точка его истории — {noted}",
    ),
    (
        "no board with places was looked at together with its history",
        "лидерборд, где есть места, и его историю не смотрели вместе",
    ),
    (
        "was armed {late} ms after a visit of the timer that had to arm it",
        "подготовлен через {late} мс после такта таймера, которому полагалось",
    ),
    (
        "its report was made {late} ms after a visit of the timer that had to",
        "её отчёт составлен через {late} мс после такта таймера, которому полагалось",
    ),
    ("was armed {after} ms after its file was handed out", "подготовлен через {after} мс после выдачи файла"),
    ("was armed {ahead} ms before its opening", "подготовлен за {ahead} мс до открытия"),
    (
        "the session ended with {name} {told}, and has {last} at last",
        "сессия закончилась с {name} {told}, а под конец в ней {last}",
    ),
    # experts
    ("is marked up by {people}", "разметили {people}"),
    ("shows the drafts {told}, not {wanted}", "показаны черновики {told}, а не {wanted}"),
    ("is shown the drafts {marks}", "показаны черновики {marks}"),
    ("the third expert is shown the drafts {told}, not {wanted}", "третьему эксперту показаны {told}, а не {wanted}"),
    (
        "{found} third experts have marked it up, by the rule {wanted}",
        "третьих экспертов: {found}, по правилу — {wanted}",
    ),
    (
        "{found} markups of {essay} are told, {wanted} were brought, or others",
        "названы не те разметки {essay}: {found}, а сдано {wanted}",
    ),
    (
        "the archive has {found} markups of an essay, {wanted} were brought, or others",
        "в архиве не те разметки эссе: {found}, а сдано {wanted}",
    ),
    # latency
    ("took {took} ms, {injected} ms were injected", "длилось {took} мс, внесено {injected} мс"),
    ("the answer is due at {told}, by the rules at {due}", "срок ответа — {told}, по правилам — {due}"),
    (
        "came {early} ms before the last moment without latency",
        "пришёл за {early} мс до крайнего срока без задержки",
    ),
    ("is told at the opening to come again", "в момент открытия предложено прийти снова"),
    (
        "the answer is due at {told}, by the rules between {least} and {latest}",
        "срок ответа — {told}, по правилам — от {least} до {latest}",
    ),
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
    ("the answer came {due}, its receipt says {told}", "ответ пришёл {due}, в квитанции {told}"),
    ("at {moment}", "в {moment}"),
    ("from {earliest} to {latest}", "между {earliest} и {latest}"),
    ("the answer is {told}, not {wanted}", "ответ {told}, а не {wanted}"),
    ("the session is {told}, not {wanted}", "сессия {told}, а не {wanted}"),
    ("the silent session was closed after {silent} ms", "молчащая сессия закрыта через {silent} мс"),
    ("after its end it is answered {status}", "после её конца отвечено {status}"),
    ("an abort that nobody confirmed is answered {status}", "на неподтверждённое прерывание отвечено {status}"),
    (
        "the session was opened at {opened}, its team was told of {told}",
        "сессия открыта в {opened}, команде сказано {told}",
    ),
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
)
"""What was found, in an order as that of the final's own."""
