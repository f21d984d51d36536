import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { get, type Schemas } from "@/api/client";
import { painted, withLanes } from "@/text/drawn";
import {
  type Fragment,
  fromSent,
  inOrder,
  isWholeText,
  keepAsJson,
  keepAsNotation,
  type SentMarkup,
} from "@/text/markup";
import { hits, outward } from "@/text/spans";
import { type SurfaceHandle, TextSurface } from "@/text/TextSurface";
import { By, Note } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useAction } from "@/ui/forms";
import { AskedPage, Moment, Problem } from "@/ui/Page";
import styles from "./comparison.module.css";
import { isMarkup, Legend, Quote, useFamilies, Values } from "./Families";

type Answer = Schemas["OwnAnswerBody"];

/**
 * A team's own annotation of a file, to read and to save; nothing in it can be changed.
 *
 * Clause: R 2.19, platform §8 annotator
 */
export function OwnAnswer() {
  const { t } = useLingui();
  const { sessionId, number } = useParams({ from: "/sessions/$sessionId/files/$number/answer" });
  const path = { session_id: sessionId, number: Number(number) };
  return (
    <AskedPage
      title={t`File ${number}: the answer`}
      asks={get("/v1/sessions/{session_id}/files/{number}/answer", path)}
    >
      {(data) => (isMarkup(data.answer) ? <Markup of={data} sessionId={sessionId} /> : <OtherContest of={data} />)}
    </AskedPage>
  );
}

/** Number of an answer's send, its receipt time, and the SHA-256 by which the receipt identifies it. */
function Received({ of: { send, received_at, content_sha256 } }: { of: Answer }) {
  return (
    <p>
      <Trans>
        Send {send}, received <Moment at={received_at} />. SHA-256 of the answer: <code>{content_sha256}</code>
      </Trans>
    </p>
  );
}

function OtherContest({ of }: { of: Answer }) {
  const { t } = useLingui();
  const values = [
    [t`Answer`, of.answer],
    [t`File as handed out`, of.content],
  ] as const;
  return (
    <>
      <Received of={of} />
      <Values of={values} />
    </>
  );
}

function Markup({ of, sessionId }: { of: Answer; sessionId: string }) {
  const { t } = useLingui();
  const markup = of.answer as unknown as SentMarkup;
  const fragments = useMemo(() => inOrder(fromSent(markup)), [markup]);
  const families = useFamilies(markup.meta.subject, true);
  const codeOf = families.known?.codeOf;
  const drawn = useMemo(() => withLanes(painted(fragments, (name) => codeOf?.(name))), [fragments, codeOf]);
  const [activeId, setActive] = useState<Fragment["id"] | null>(null);
  const active = fragments.find(({ id }) => id === activeId) ?? null;
  const handle = useRef<SurfaceHandle>(null);
  const look = (at: Fragment) => {
    setActive(at.id);
    if (!isWholeText(at)) handle.current?.show(at);
  };
  const params = { sessionId, number: String(of.number) };
  return (
    <>
      <Received of={of} />
      <SaveMarkup markup={markup} />
      <Legend families={families} fragments={fragments} />
      <TextSurface
        text={markup.text}
        label={t`The essay with the answer's fragments`}
        drawn={drawn}
        active={active && String(active.id)}
        band={active}
        caret={false}
        onSelected={ignore}
        onTyped={ignore}
        onClicked={(at) => {
          const under = hits(fragments, at);
          setActive(outward(under, active && under.includes(active) ? active : undefined)?.id ?? null);
        }}
        onPick={(key) => setActive(fragments.find(({ id }) => String(id) === key)?.id ?? null)}
        handle={handle}
      />
      <h2>
        <Plural value={fragments.length} one="# fragment" other="# fragments" />
      </h2>
      <ol className={styles.near}>
        {fragments.map((fragment) => (
          <li key={fragment.id} aria-current={fragment === active ? "true" : undefined}>
            <button type="button" className={styles.link} onClick={() => look(fragment)}>
              <Quote text={markup.text} fragment={fragment} />
            </button>
            {fragment.comment && <p>{fragment.comment}</p>}
            {fragment.explanation && <p>{fragment.explanation}</p>}
          </li>
        ))}
      </ol>
      <p>
        <Link to="/sessions/$sessionId/files/$number/comparison" params={params}>
          {t`Compare with the experts`}
        </Link>
      </p>
      <p>
        <Trans>
          The report of a session has no grade for a single answer. Where you may see the experts' markups,{" "}
          <Link to="/sessions/$sessionId/files/$number/comparison" params={params} search={{ m: "M1" }}>
            the comparison shows it by criterion, beside theirs
          </Link>
          .
        </Trans>
      </p>
      <By clause="R 6.5.1" />
    </>
  );
}

function SaveMarkup({ markup }: { markup: SentMarkup }) {
  const { t } = useLingui();
  const writing = useAction(() => keepAsNotation(markup));
  return (
    <>
      <p className={styles.tools}>
        <Button onPress={() => keepAsJson(markup)}>{t`Save as JSON`}</Button>{" "}
        <Button onPress={() => writing.mutate()}>{t`Save in the notation (.txt)`}</Button>
      </p>
      {writing.error && <Problem error={writing.error} retry={() => writing.mutate()} />}
      {writing.data?.map((fault) => (
        <Note key={fault.code} of={fault} role="alert" />
      ))}
    </>
  );
}

function ignore(): void {}
