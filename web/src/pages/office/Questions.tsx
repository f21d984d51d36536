import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useId, useState } from "react";
import { EVERY, listed, post, renewed, type Schemas } from "@/api/client";
import { useMe } from "@/auth/hooks";
import { Button } from "@/ui/controls";
import { Act, Check, Choice, Form, InBoth, Reasoned, useAction, useDraft, useFilter } from "@/ui/forms";
import { Answered, Forbidden, isForbidden, NextPage, Page } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { QuestionText } from "@/ui/questions";

type Question = Schemas["DeskQuestionBody"];
type State = Question["state"];

const STATES: Readonly<Record<State | "all", MessageDescriptor>> = {
  open: msg({ message: "waiting", context: "question" }),
  answered: msg({ message: "answered", context: "question" }),
  closed: msg({ message: "closed", context: "question" }),
  withdrawn: msg({ message: "withdrawn", context: "question" }),
  all: msg({ message: "all", context: "questions" }),
};

/** List the teams' questions, waiting ones first. */
export function Questions() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/questions" });
  const { state, kind } = search;
  const filter = useFilter(search);
  const chosen = (Object.keys(STATES) as (State | "all")[]).find((name) => name === state) ?? "open";
  const query = {
    limit: 20,
    ...(chosen === "all" ? {} : { state: chosen }),
    ...((kind === "protests" || kind === "questions") && { protest: kind === "protests" }),
  };
  const pages = useInfiniteQuery(listed("/v1/answering", query, EVERY.live));
  if (isForbidden(pages.error)) return <Forbidden error={pages.error} />;
  return (
    <Page title={t`Questions`}>
      <Choice label={t`State`} {...filter("state")} value={chosen} options={STATES} />
      <Choice
        label={t`Questions or protests`}
        {...filter("kind")}
        none={t`both`}
        options={{ questions: t`questions`, protests: t`protests` }}
      />
      <Answered of={pages}>
        {(data) => {
          const questions = data.pages.flatMap((page) => page.questions);
          const waiting = data.pages[0]?.waiting ?? 0;
          return (
            <>
              <p role="status">{t`Waiting for an answer: ${waiting}`}</p>
              {questions.length === 0 && (
                <p>{t`No questions with this state. Teams ask in their cabinet, or with pku ask.`}</p>
              )}
              {questions.map((question) => (
                <One key={question.question_id} question={question} />
              ))}
              <NextPage nextPages={pages}>{t`Older ones`}</NextPage>
            </>
          );
        }}
      </Answered>
    </Page>
  );
}

function One({ question }: { question: Question }) {
  const { i18n, t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const { question_id: id, version, state } = question;
  const path = { question_id: id };
  const own = useMe()?.person_id;
  const holder = question.taken_by;
  const isOthers = holder !== null && holder !== `person:${own}`;
  const taking = useAction(() => post("/v1/answering/{question_id}/take", path, { version }), renewed);
  return (
    <article aria-labelledby={`question-${id}`}>
      <QuestionText question={question} state={i18n._(STATES[state])} answered={t`Answer to the team`} desk>
        {holder && (
          <p className={parts.note}>{isOthers ? t`Another person answers it now: ${holder}` : t`You answer it now.`}</p>
        )}
      </QuestionText>
      {taking.problem}
      {isOpen && <AnswerForm question={question} close={() => setIsOpen(false)} />}
      {!isOpen && !isOthers && (state === "open" || state === "answered") && (
        <div className={parts.actions}>
          <Button primary={state === "open"} onPress={() => setIsOpen(true)}>
            {state === "open" ? <Trans context="action">Answer</Trans> : t`Answer anew`}
          </Button>
          {state === "open" && !holder && <Act of={taking}>{t`Take the question`}</Act>}
          {state === "open" && (
            <Reasoned
              label={t`Close without an answer`}
              asks={t`Close the question without an answer? The team reads the reason.`}
              act={(why) => post("/v1/answering/{question_id}/closure", path, { version, reason: why })}
            />
          )}
        </div>
      )}
    </article>
  );
}

const EMPTY = { en: "", ru: "" };

function filledIn(words: typeof EMPTY): Partial<typeof EMPTY> {
  return Object.fromEntries(Object.entries(words).filter(([, text]) => text.trim()));
}

/** Form for an answer: to the team in one or both languages; to everybody in both, with the question as title. */
function AnswerForm({ question, close }: { question: Question; close: () => void }) {
  const { t } = useLingui();
  const id = useId();
  const { question_id: name, answer, version } = question;
  const isPublic = answer?.announcement_id != null;
  const texts = { text: { ...EMPTY, ...answer?.texts }, title: EMPTY };
  const { draft, bind } = useDraft({ ...texts, toAll: isPublic, upheld: "" as "" | "yes" | "no" });
  const { text, title, toAll } = draft;
  const ruling = question.protest ? { upheld: draft.upheld === "yes" } : {};
  const sending = useAction(
    () =>
      post(
        "/v1/answering/{question_id}/answer",
        { question_id: name },
        { version, text: filledIn(text), title: toAll ? filledIn(title) : {}, to_all: toAll, ...ruling },
      ),
    async () => {
      close();
      await renewed();
    },
  );
  return (
    <Form
      aria-labelledby={id}
      of={sending}
      primary
      send={toAll ? t`Answer everybody` : t`Answer the team`}
      beside={<Button onPress={close}>{t`Cancel`}</Button>}
    >
      <h3 id={id}>{t`Answer to ${name}`}</h3>
      <Check
        label={t`Tell everybody, as an announcement that does not name the team`}
        disabled={isPublic || !question.may_tell_all}
        {...bind("toAll")}
      />
      {!question.may_tell_all && (
        <p className={parts.note}>
          {t`Its item or run is not open to all participants yet: answer the team now, everybody later.`}
        </p>
      )}
      {toAll && (
        <InBoth
          labels={{ ru: t`The question, in Russian`, en: t`The question, in English` }}
          required
          maxLength={200}
          {...bind("title")}
        />
      )}
      <InBoth
        labels={{ ru: t`Answer in Russian`, en: t`Answer in English` }}
        // One language is enough for the team.
        required={toAll || !(text.ru.trim() || text.en.trim())}
        rows={4}
        maxLength={4000}
        {...bind("text")}
      />
      {question.protest && (
        <Choice
          label={t`The protest is`}
          required
          {...bind("upheld")}
          none="–"
          options={{ yes: t`upheld`, no: t({ message: "rejected", context: "protest" }) }}
        />
      )}
    </Form>
  );
}
