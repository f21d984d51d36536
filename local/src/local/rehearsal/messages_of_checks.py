"""What each check of a rehearsal is called, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CHECKS: Final[Mapping[str, tuple[str, str]]] = {
    "check.acknowledged_kept": ("no acknowledged answer lost", "ни один подтверждённый ответ не потерян"),
    "check.late_not_accepted": ("nothing late accepted", "ничего пришедшего после срока не принято"),
    "check.on_time_not_refused": ("nothing refused that was in time", "ничего пришедшего в срок не отвергнуто"),
    "check.deadlines_told": ("deadlines are those of the rules", "сроки соответствуют правилам"),
    "check.ten_sends": ("at most ten sends, numbered without gaps", "не более десяти отправок, номера без пропусков"),
    "check.one_winner": ("one answer for every number of a send", "на каждый номер отправки один ответ"),
    "check.nothing_early": ("nothing of a file before its opening", "ничего о файле до его открытия"),
    "check.files_as_committed": (
        "files as committed to, byte by byte",
        "файлы те самые, что были обещаны, байт в байт",
    ),
    "check.nothing_stuck": (
        "nothing stuck: answered, or annulled with a cause",
        "ничего не застряло: есть ответ или причина аннулирования",
    ),
    "check.causes_by_the_rules": (
        "no fault of the platform counted against a team",
        "вина платформы не засчитана командам",
    ),
    "check.scored_once": (
        "every accepted answer scored once, same bytes",
        "каждый принятый ответ оценён один раз, те же байты",
    ),
    "check.commitment_kept": (
        "commitment, record and signatures agree",
        "обязательство, протокол и подписи согласуются",
    ),
    "check.replay_agrees": (
        "the same board and shares from a replay",
        "тот же лидерборд и доли при пересчёте по фактам",
    ),
    "check.no_faults_no_voids": ("without faults nothing is annulled", "без сбоев ничего не аннулировано"),
    "check.channel_kept": (
        "whoever is on the event channel gets every file, and its receipts are kept",
        "кто подключён к каналу событий, получает каждый файл, и его квитанции хранятся",
    ),
    "check.channel_alive": (
        "who listens on the channel gets signs of life, who enters nothing is let go of",
        "кто слушает канал, получает служебные сообщения о связи, кто никуда не вошёл, отключён",
    ),
    "check.responses_kept": (
        "what a turn brought is signed and never lost",
        "ответ на ход подписан и не теряется",
    ),
    "check.strangers_kept_out": (
        "whoever has no token is told nothing, and nothing is kept of it",
        "у кого нет токена, тот ничего не узнаёт, и о нём ничего не хранится",
    ),
    "check.not_yet_told": (
        "before its opening a file is refused, with the announced moment",
        "до открытия файл не выдаётся, назван объявленный срок",
    ),
    "check.others_kept": (
        "nobody gets at another team's session, nor through staff's doors",
        "никому не доступны чужие сессии и двери персонала",
    ),
    "check.joined_once": (
        "everybody joins once and in time, nobody twice or late",
        "каждый присоединился один раз и вовремя, никто дважды или поздно",
    ),
    "check.texts_in_time": (
        "no essay's text in any byte before its opening, the same for all",
        "ни в одном байте нет текста эссе до открытия, у всех он один",
    ),
    "check.decisions_kept": (
        "pause, ruling, void, replacement hold as they were decided, for everybody",
        "пауза, решение по файлу, аннулирование, замена действуют так, как решено, для всех",
    ),
    "check.sessions_chosen": (
        "sessions of one's own are as chosen, answered in their time, scored",
        "собственные сессии таковы, как выбрано, ответы в их сроки, с оценкой",
    ),
    "check.sessions_ended": (
        "a session ends by itself, by its team or by silence, and for good",
        "сессия кончается сама, по воле команды или от молчания, и навсегда",
    ),
    "check.requests_limited": (
        "too many requests and too large bodies are refused, answers in time are not",
        "лишние запросы и слишком большие тела отвергнуты, ответы в срок — нет",
    ),
    "check.own_kept": (
        "ids have their form; logs and lists are the team's own",
        "имена нужного вида; журналы и списки — у своей команды",
    ),
    "check.markups_kept": (
        "nothing of the experts' markups before the results are published, then one's own",
        "до публикации результатов — ничего из разметок экспертов, после — к своим ответам",
    ),
    "check.references_hidden": (
        "an attacker learns no place, code or text of hidden references beyond chance",
        "атакующий не узнаёт о скрытых эталонах ни мест, ни кодов, ни слов сверх случайного",
    ),
    "check.readiness_concluded": (
        "ready is who answered 95 % of enough files, in a technical run who lost 5 % at most",
        "готов тот, кто ответил на 95 % достаточного числа файлов, в техническом прогоне потерял не более 5 %",
    ),
    "check.admitted_by_steps": (
        "judges, commission and organizers decide in their turn, each step is in the log",
        "судьи, комиссия и организаторы решают по очереди, каждый шаг в журнале",
    ),
    "check.one_entry_each": (
        "the qualification board has each team's best entry, and no other",
        "на лидерборде квалификации у каждой команды только лучший результат",
    ),
    "check.trial_apart": (
        "a trial is marked and stands on no board",
        "пробный прогон помечен и ни на одном лидерборде",
    ),
    "check.failure_proposed": (
        "what everybody missed is proposed to the commission and replaced by one decision",
        "потерянное всеми предложено комиссии и заменено одним решением",
    ),
    "check.begun_anew": (
        "a run begun anew has fresh files of the reserve, the stopped one no results",
        "у перезапущенного прогона новые файлы резерва, у остановленного нет результатов",
    ),
    "check.beside_as_promised": (
        "runs beside the final keep their commitments, and their records are true",
        "прогоны вокруг финала исполняют свои обязательства, протоколы их верны",
    ),
    "check.latency_given_back": (
        "what the platform took of a program's time is given back, and to nobody else",
        "время, которое заняла платформа, команде возвращено, и никому больше",
    ),
    "check.held_in_real_time": (
        "in real time requests are held until the opening, and real latency is given back",
        "в реальном времени запросы удерживаются до открытия, а реальная задержка возвращается",
    ),
    "check.experts_apart": (
        "experts mark up each by itself, a third where the rule says, and change nothing afterwards",
        "эксперты размечают независимо, третий — когда велит правило, и сданное не меняют",
    ),
    "check.experts_counted": (
        "scores, board and archive follow from what the experts handed in",
        "оценки, лидерборд и архив следуют из того, что сдали эксперты",
    ),
    "check.reports_agree": (
        "every report tells of files, times, causes and accuracies as they were",
        "в каждом отчёте файлы, времена, причины и точности такие, какими были",
    ),
    "check.archive_kept": (
        "the archive has what may be given over, no more, and only when the results are out",
        "в архиве то, что публикуется по правилам конкурса, и ничего больше, и только после публикации итогов",
    ),
    "check.handed_in_kept": (
        "what is handed in has a signed receipt and is stored",
        "сданное получает подписанную квитанцию и сохраняется",
    ),
    "check.ended_as_played": ("submissions end by the rules, with their causes", "посылки завершаются по правилам"),
    "check.counted_by_day": (
        "three scored a day, the platform's failures count nowhere",
        "три оценённых в сутки, сбои платформы нигде не считаются",
    ),
    "check.one_at_a_time": ("one submission of a team at a time", "у команды одна посылка в работе"),
    "check.numbers_of_its_own": ("numbers are the library's over its own run", "числа библиотеки по своему запуску"),
    "check.prints_of_its_own": ("what is printed is told to its own team", "журналы видит только своя команда"),
    "check.private_kept": ("nothing of the private test before its time", "о закрытом тесте ничего раньше срока"),
    "check.chosen_are_run": ("in private what teams have chosen is run", "в закрытом тесте запущено выбранное"),
    "check.boards_by_replay": ("boards are those of a replay", "лидерборды совпадают с пересчётом"),
    "check.prizes_by_the_rules": ("prizes are by the rules", "призы по правилам"),
    "check.nothing_under_way": ("nothing is under way in the end", "в конце ничего не осталось в работе"),
}
