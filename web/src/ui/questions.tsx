import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { useMe } from "@/auth/hooks";
import { useLanguage } from "./contest";
import parts from "./parts.module.css";

export type Subject = Schemas["AboutBody"];

/** The team's questions with their answers. */
export function useQuestions() {
  return useQuery(get("/v1/questions", {}, EVERY.idle));
}

/** How many answers the team has not read; null for whoever asks nothing. */
export function useUnread(): number | null {
  const mayAsk = useMe()?.rights.includes("ask") ?? false;
  const questions = useQuery({ ...get("/v1/questions", {}, EVERY.idle), enabled: mayAsk });
  return mayAsk ? (questions.data?.unread ?? null) : null;
}

/** What a question is about; an item by the team's session alone. */
export function About({ of }: { of: Subject }) {
  const { session_id: session, number, run_id: run, rule } = of;
  if (of.kind === "item") {
    return (
      <Trans>
        file {number} of session {session}
      </Trans>
    );
  }
  if (of.kind === "run") return <Trans>run {run}</Trans>;
  return of.kind === "rule" ? <Trans>rule {rule}</Trans> : <Trans>no subject of its own</Trans>;
}

/** A sentence beside an answer to everybody that the announcements have taken back. */
export function Withdrawn({ answer }: { answer: Schemas["AnswerBody"] }) {
  return (
    answer.withdrawn && (
      <>
        {" · "}
        <Trans context="answer">withdrawn</Trans>
      </>
    )
  );
}

interface TextsProps {
  of: Partial<Record<string, string>>;
  /** In every language that it has, for those who write it. */
  all?: boolean;
}

/** A text in the reader's language, or in each that it has where it lacks that one. */
export function Texts({ of, all = false }: TextsProps) {
  const language = useLanguage();
  const languages = of[language] && !all ? [language] : Object.keys(of);
  return languages.map((each) => (
    <p key={each} lang={each} className={parts.said}>
      {of[each]}
    </p>
  ));
}
