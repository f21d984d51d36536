import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { get, post, renewed, type Schemas } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import { Check, Choice, Confirmed, Field, Form, useAction, useDraft } from "@/ui/forms";
import { Answered, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { QuestionText, type Subject, useQuestions } from "@/ui/questions";
import { Cabinet } from "./Cabinet";

type Question = Schemas["TeamQuestionBody"];
type Body = Schemas["QuestionRequest"];

const STATES: Readonly<Record<Question["state"], MessageDescriptor>> = {
  open: msg({ message: "waits for an answer", context: "question" }),
  answered: msg({ message: "answered", context: "question" }),
  closed: msg({ message: "closed without an answer", context: "question" }),
  withdrawn: msg({ message: "withdrawn", context: "question" }),
};

/** The team's questions to the organizers and judges, with their answers. */
export function Questions() {
  const { t } = useLingui();
  return <Cabinet title={t`Questions`}>{() => <OwnQuestions />}</Cabinet>;
}

function OwnQuestions() {
  const { t } = useLingui();
  const questions = useQuestions();
  const [unread, setUnread] = useState<ReadonlySet<string>>(new Set());
  const questionList = questions.data?.questions;
  useEffect(() => {
    const fresh = (questionList ?? []).filter((question) => question.unread);
    if (fresh.length === 0) return;
    // Shown answers are marked as read; they stay labelled as new while the page is open.
    setUnread((before) => new Set([...before, ...fresh.map((question) => question.question_id)]));
    const marked = fresh.map(({ question_id, version }) =>
      post("/v1/questions/{question_id}/seen", { question_id }, { version }),
    );
    // An answer that has changed meanwhile stays unread and is shown after the next fetch.
    void Promise.allSettled(marked).then(renewed);
  }, [questionList]);
  return (
    <>
      <p>
        <Trans>
          Only the organizers and judges read your question. They answer your team, or everybody by an{" "}
          <Link to="/announcements">announcement</Link> that does not name you.
        </Trans>
      </p>
      <Ask />
      <PageSection id="asked-title" title={t`Your team's questions`}>
        <Answered of={questions}>
          {(data) => (
            <>
              {data.questions.length === 0 && <p>{t`No questions yet.`}</p>}
              {data.questions.map((question) => (
                <One key={question.question_id} question={question} isNew={unread.has(question.question_id)} />
              ))}
            </>
          )}
        </Answered>
      </PageSection>
    </>
  );
}

function One({ question, isNew }: { question: Question; isNew: boolean }) {
  const { i18n, t } = useLingui();
  const { question_id: id } = question;
  return (
    <article>
      <QuestionText
        question={question}
        state={i18n._(STATES[question.state])}
        answered={t`Answer`}
        mark={isNew && <span className={parts.good}> {t`new`}</span>}
      />
      {question.state === "open" && (
        <div className={parts.actions}>
          <Confirmed
            label={t`Withdraw the question`}
            asks={t`Nobody answers a withdrawn question.`}
            act={() => post("/v1/questions/{question_id}/withdrawal", { question_id: id })}
          />
        </div>
      )}
    </article>
  );
}

type Kind = Subject["kind"];

const KINDS: Readonly<Record<Kind, MessageDescriptor>> = {
  general: msg`anything`,
  item: msg`a file of our session`,
  run: msg`a run`,
  rule: msg`a rule`,
};

const LONGEST = 2000;

/** Form to ask a question; the address may name its subject, so that pages of sessions and runs link here. */
function Ask() {
  const { t } = useLingui();
  const language = useLanguage();
  const named = useSearch({ from: "/cabinet/questions" });
  const { draft, bind, change } = useDraft({
    text: "",
    kind: (named.session ? "item" : named.run ? "run" : "general") as Kind,
    session: named.session ?? "",
    number: named.number ?? "",
    run: named.run ?? "",
    rule: "",
    protest: false,
  });
  const { text, kind } = draft;
  const abouts: Readonly<Record<Kind, Body["about"]>> = {
    general: null,
    item: { session_id: draft.session, number: Number(draft.number) },
    run: { run_id: draft.run },
    rule: { rule: draft.rule },
  };
  const protest = draft.protest && kind !== "general";
  const asking = useAction(
    () => post("/v1/questions", {}, { text, language, about: abouts[kind] ?? null, protest }),
    () => {
      change({ text: "" });
      return renewed();
    },
  );
  const fields: Readonly<Record<Kind, ReactNode>> = {
    general: null,
    item: (
      <>
        <Sessions {...bind("session")} />
        <Field label={t`Number of the file`} required type="number" min={1} max={10_000} {...bind("number")} />
      </>
    ),
    run: <Field label={t`Identifier of the run`} required maxLength={20} {...bind("run")} />,
    rule: <Field label={t`Rule, as R 7.6`} required maxLength={40} {...bind("rule")} />,
  };
  return (
    <PageSection id="ask-title" title={t`Ask a question`}>
      <Form
        aria-labelledby="ask-title"
        of={asking}
        primary
        send={t`Send the question`}
        sent={t`✓ Sent. The answer will stand below.`}
      >
        <Choice label={t`About`} {...bind("kind")} options={KINDS} />
        {fields[kind]}
        {kind !== "general" && (
          <p>
            <Check label={t`This is a protest: it is upheld or rejected`} {...bind("protest")} />
          </p>
        )}
        <Field
          label={t`Question`}
          look={`${parts.field} ${parts.long}`}
          required
          rows={4}
          maxLength={LONGEST}
          {...bind("text")}
        />
      </Form>
    </PageSection>
  );
}

/** Choice among the team's 50 latest sessions; an older one can come from the page's address. */
function Sessions({ value, change }: { value: string; change: (value: string) => void }) {
  const sessions = useQuery(get("/v1/sessions", { limit: 50 }));
  const listed = sessions.data?.sessions.map((session) => session.session_id) ?? [];
  const all = !value || listed.includes(value) ? listed : [value, ...listed];
  return <Choice label={<Trans>Session</Trans>} required value={value} change={change} none="–" options={all} />;
}
