import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EVERY, get, type Schemas } from "@/api/client";
import { useMe } from "@/auth/hooks";
import { useLanguage } from "./contest";
import { Moment } from "./Page";
import parts from "./parts.module.css";

export type Subject = Schemas["AboutBody"];

/** The team's questions with their answers. */
export function useQuestions() {
  return useQuery(get("/v1/questions", {}, EVERY.idle));
}

/** Return the team's number of unread answers; null before the response, or without the right to ask. */
export function useUnread(): number | null {
  const mayAsk = useMe()?.rights.includes("ask") ?? false;
  const questions = useQuery({ ...get("/v1/questions", {}, EVERY.idle), enabled: mayAsk });
  return mayAsk ? (questions.data?.unread ?? null) : null;
}

/** Subject of a question; an item is named only by its number in the team's session. */
function About({ subject }: { subject: Subject }) {
  const { session_id: session, number, run_id: run, rule } = subject;
  if (subject.kind === "item") {
    return (
      <Trans>
        file {number} of session {session}
      </Trans>
    );
  }
  if (subject.kind === "run") return <Trans>run {run}</Trans>;
  return subject.kind === "rule" ? <Trans>rule {rule}</Trans> : <Trans>no subject of its own</Trans>;
}

interface TextsProps {
  of: Partial<Record<string, string>>;
  /** True to show all languages of the text, for those who write it. */
  all?: boolean;
}

/** Text in the reader's language; if it lacks that one, in each language that it has. */
function Texts({ of, all = false }: TextsProps) {
  const language = useLanguage();
  const languages = of[language] && !all ? [language] : Object.keys(of);
  return languages.map((language) => (
    <p key={language} lang={language} className={parts.said}>
      {of[language]}
    </p>
  ));
}

interface QuestionTextProps {
  question: Schemas["TeamQuestionBody"] | Schemas["DeskQuestionBody"];
  state: string;
  /** Label of the answer to its team alone. */
  answered: ReactNode;
  /** True on the desk that answers: the heading of a page, and answers in all their languages. */
  desk?: boolean;
  /** Contents behind the heading's words, and between question and answer. */
  mark?: ReactNode;
  children?: ReactNode;
}

/** A question with its state and subject, its answer, and the reason of a closed one. */
export function QuestionText({ question, state, answered, desk = false, mark, children }: QuestionTextProps) {
  const { t } = useLingui();
  const { question_id: id, answer, reason } = question;
  const Heading = desk ? "h2" : "h3";
  return (
    <>
      <Heading id={`question-${id}`}>
        {id} · {question.protest && t`protest, `}
        {state}
        {typeof answer?.upheld === "boolean" && (
          <>: {answer.upheld ? t`upheld` : <Trans context="protest">rejected</Trans>}</>
        )}
        {mark}
      </Heading>
      <p>
        <Moment at={question.asked_at} /> · <About subject={question.about} />
      </p>
      <p className={parts.said} lang={question.language}>
        {question.text}
      </p>
      {children}
      {answer && (
        <>
          <p>
            <strong>{answer.announcement_id ? t`Answer to everybody` : answered}</strong> · <Moment at={answer.at} />
            {answer.withdrawn && (
              <>
                {" · "}
                <Trans context="answer">withdrawn</Trans>
              </>
            )}
          </p>
          <Texts of={answer.texts} all={desk} />
        </>
      )}
      {reason && <p>{t`Reason: ${reason}`}</p>}
    </>
  );
}
