import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ChangeEvent, type HTMLAttributes, type ReactNode, type Ref, useEffect, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { type Command, replacement } from "@/text/commands";
import { quoteOf } from "@/text/drawn";
import { sameFragments } from "@/text/journal";
import { type Fragment, fromSent, inOrder, keepAsJson, keepAsNotation, type SentMarkup, toSent } from "@/text/markup";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useAction } from "@/ui/forms";
import styles from "./annotator.module.css";
import {
  type Desk,
  DeskContext,
  type Id,
  type Judged,
  type Sheet,
  type Steps,
  useDesk,
  useView,
  type View,
  ViewContext,
} from "./desk";
import { placeOf } from "./EditDetails";
import { Dialog, Disagreement, Header } from "./Header";

const NOTHING_WRONG: Command = { deed: "edit", edits: [], about: null };

interface WorkplaceProps extends Pick<HTMLAttributes<HTMLDivElement>, "onKeyDown"> {
  desk: Desk;
  view: View;
  steps: Steps;
  sheet: Sheet;
  open: (sheet: Sheet) => void;
  status: string;
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}

/** Frame of every kind of work: its tools, a conflict of two drafts, the work itself, handing in. */
export function Workplace({ desk, view, steps, sheet, open, status, children, ...rest }: WorkplaceProps) {
  return (
    <DeskContext value={desk}>
      <ViewContext value={view}>
        <div {...rest} className={styles.annotator}>
          <Header steps={steps} open={open} />
          {desk.save.kind === "conflict" && <Conflict />}
          {children}
          <p className="sr-only" role="status">
            {status}
          </p>
          {sheet === "hand-in" && desk.closed === null && <HandIn close={() => open(null)} />}
        </div>
      </ViewContext>
    </DeskContext>
  );
}

/** Hand-in dialog: errors that prevent handing in, warnings to check, and counts of the content to hand in. */
function HandIn({ close }: { close: () => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { goTo } = useView();
  const sending = useAction(desk.handIn);
  const { saveNow, run, judged, save } = desk;
  // A text may have no error: a draft has to state that, too.
  const isUnsaid = desk.kind === "edits" && judged === null && save.kind === "saved";
  useEffect(() => {
    if (isUnsaid) run(NOTHING_WRONG);
    void saveNow();
  }, [saveNow, run, isUnsaid]);
  const titles = { markup: t`Hand in the markup`, ratings: t`Hand in the ratings`, edits: t`Hand in the errors` };
  const grade = gradeOf(judged);
  const faults = judged?.faults ?? [];
  const isReady = save.kind === "saved" && judged !== null && faults.length === 0;
  const show = (id: Id) => {
    close();
    goTo(id);
  };
  return (
    <Dialog title={titles[desk.kind]} close={close}>
      {desk.kind !== "ratings" && <Counts />}
      {grade && <p>{t`Grade: ${grade.total} of ${grade.max}`}</p>}
      <Remarks title={t`Correct these first`} faults={faults} show={show} />
      <Remarks title={t`Check these again`} faults={judged?.warnings ?? []} show={show} />
      {!isReady && faults.length === 0 && (
        <p role="status">
          {save.kind === "kept"
            ? t`The platform cannot be reached. Hand in when the connection is back; everything is stored on this device.`
            : save.kind === "conflict"
              ? t`Another device saved a newer draft. Close this window and choose which draft to keep.`
              : judged === null && save.kind === "saved"
                ? t`Nothing has been marked and saved yet.`
                : t`The last changes are being saved.`}
        </p>
      )}
      {sending.problem}
      <div className={styles.row}>
        <Button
          primary
          isDisabled={!isReady || sending.isPending || sending.isSuccess}
          onPress={() => sending.mutate()}
        >
          {t`Hand in; it cannot be changed afterwards`}
        </Button>
        <Button onPress={close}>{t`Work on`}</Button>
      </div>
    </Dialog>
  );
}

function Counts() {
  const { fragments, kind, codeOf, titleOf } = useDesk();
  const counts = new Map<string, number>();
  for (const fragment of fragments) {
    const category = kind === "edits" ? fragment.code : (codeOf(fragment.code)?.category ?? "");
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return (
    <>
      <p>
        {kind === "edits" ? (
          <Plural value={fragments.length} one="# error" other="# errors" />
        ) : (
          <Plural value={fragments.length} one="# fragment" other="# fragments" />
        )}
      </p>
      <ul>
        {[...counts].map(([category, count]) => (
          <li key={category}>
            {titleOf(category)}: {count}
          </li>
        ))}
      </ul>
    </>
  );
}

function Remarks({ title, faults, show }: { title: string; faults: Judged["faults"]; show: (id: Id) => void }) {
  const language = useLanguage();
  const { fragments } = useDesk();
  if (faults.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className={styles.remarks}>
        {faults.map((fault) => {
          const about = fragments.find(
            (fragment, place) => String(fragment.id) === aboutOf(fault) || place === placeOf(fault.where.field),
          );
          const message = language === "ru" ? fault.message_ru : fault.message;
          return (
            <li key={fault.code + fault.message}>
              {about ? (
                <button type="button" className={styles.link} onClick={() => show(about.id)}>
                  {message}
                </button>
              ) : (
                message
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Return the id of the fragment that a fault is about; for ratings it is taken from the field's name. */
function aboutOf({ where }: Judged["faults"][number]): string {
  return String(where.fragment ?? String(where.field).replace("ratings.", ""));
}

function gradeOf(judged: Judged | null): Schemas["Grade"] | null {
  return (judged?.grade as Schemas["Grade"] | null | undefined) ?? null;
}

/** The grade of the last saved draft, with the sentence that explains each criterion. */
export function Grade() {
  const { t } = useLingui();
  const { judged, before, save } = useDesk();
  const language = useLanguage();
  const [grade, earlier] = [gradeOf(judged), gradeOf(before)];
  return (
    <section aria-labelledby="grade" className={styles.panel} data-old={save.kind === "kept" ? "" : undefined}>
      <h2 id="grade" tabIndex={-1}>
        {grade ? t`Grade ${grade.total}/${grade.max}` : t`Grade`}
      </h2>
      {grade ? (
        <dl className={styles.grade}>
          {Object.entries(grade.criteria).map(([name, points]) => (
            <div key={name} data-changed={earlier && earlier.criteria[name] !== points ? "" : undefined}>
              <dt>
                {name} <b>{points}</b>
                {earlier && earlier.criteria[name] !== points && (
                  <small>
                    {" "}
                    <Trans>was {earlier.criteria[name]}</Trans>
                  </small>
                )}
              </dt>
              <dd>{grade.explanations[name]?.[language]}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p>
          {judged && judged.faults.length > 0
            ? t`There is no grade while the markup has faults; they are marked ⚠ in the list.`
            : t`The grade comes with the first saved draft.`}
        </p>
      )}
      {save.kind === "kept" && <p>{t`This is the grade of the last draft that reached the platform.`}</p>}
    </section>
  );
}

type Detail = Schemas["Detail"];
type Fault =
  | { readonly kind: "platform"; readonly detail: Detail }
  | { readonly kind: "no-json"; readonly message: string }
  | { readonly kind: "no-markup" }
  | { readonly kind: "other-text"; readonly at: number };
interface Read {
  readonly markup: SentMarkup | null;
  readonly faults: readonly Fault[];
}

/** Import and export of a markup, as JSON or in the notation; the platform parses and writes the notation. */
export function Exchange({ close }: { close: () => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const [read, setRead] = useState<Read | null>(null);
  const working = useAction((work: () => Promise<void>) => work());
  const groupOf = (name: string) => desk.codeOf(name)?.group ?? "error";
  const markup = () => toSent(desk.fragments, desk.essay, groupOf);
  const asNotation = async () => {
    const faults = await keepAsNotation(markup());
    if (faults.length > 0) setRead({ markup: null, faults: faults.map(platformFault) });
  };
  const bring = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (!file) return;
    const text = await file.text();
    working.mutate(async () => setRead(checked(await parsed(file.name, text), desk.essay.text)));
  };
  const take = (from: SentMarkup) => {
    desk.run(replacement(desk.fragments, fromSent(from), "import"));
    close();
  };
  return (
    <Dialog title={desk.closed === null ? t`Import, export` : t`Export`} close={close}>
      <div className={styles.row}>
        <Button onPress={() => keepAsJson(markup())}>{t`Save as JSON`}</Button>
        <Button onPress={() => working.mutate(asNotation)}>{t`Save in the notation (.txt)`}</Button>
      </div>
      {desk.closed === null && (
        <label className={styles.field}>
          <span>{t`Bring a markup of this essay, JSON or notation`}</span>
          <input type="file" accept=".json,.txt" onChange={(event) => void bring(event)} />
        </label>
      )}
      {working.problem}
      {read && <Preview read={read} take={take} />}
      <div className={styles.row}>
        <Button onPress={close}>{t`Close`}</Button>
      </div>
    </Dialog>
  );
}

function Preview({ read, take }: { read: Read; take: (markup: SentMarkup) => void }) {
  const { markup, faults } = read;
  const count = markup?.selections.length ?? 0;
  return (
    <div role="status">
      {faults.length > 0 && (
        <ul className={styles.remarks}>
          {faults.map((fault) => (
            <li key={JSON.stringify(fault)}>
              <FaultText fault={fault} />
            </li>
          ))}
        </ul>
      )}
      {markup && (
        <Button onPress={() => take(markup)}>
          <Trans>Take its {count} fragments instead of the present ones (can be undone)</Trans>
        </Button>
      )}
    </div>
  );
}

function FaultText({ fault }: { fault: Fault }) {
  const language = useLanguage();
  if (fault.kind === "no-json") return <Trans>This is not valid JSON: {fault.message}</Trans>;
  if (fault.kind === "no-markup") return <Trans>This is not a markup: it has no list of fragments.</Trans>;
  if (fault.kind === "other-text") {
    return <Trans>This is a markup of another text: they differ at position {fault.at}.</Trans>;
  }
  const { line, column } = fault.detail as { line?: number; column?: number };
  return (
    <>
      {line !== undefined && (
        <b>
          <Trans>
            Line {line}, column {column}:
          </Trans>{" "}
        </b>
      )}
      {(language === "ru" && fault.detail.message_ru) || fault.detail.message}
    </>
  );
}

function platformFault(detail: Detail): Fault {
  return { kind: "platform", detail };
}

async function parsed(name: string, text: string): Promise<Read> {
  if (name.toLowerCase().endsWith(".json")) {
    try {
      return { markup: JSON.parse(text) as SentMarkup, faults: [] };
    } catch (failure) {
      return { markup: null, faults: [{ kind: "no-json", message: String(failure) }] };
    }
  }
  const { data } = await api.POST("/v1/notation/parse", {
    body: text,
    bodySerializer: (body: string) => body,
    headers: { "content-type": "text/plain" },
  });
  return {
    markup: (data?.answer as SentMarkup | null) ?? null,
    faults: [...(data?.errors ?? []), ...(data?.warnings ?? [])].map(platformFault),
  };
}

function checked(read: Read, essay: string): Read {
  const { markup } = read;
  if (markup === null) return read;
  if (!Array.isArray(markup.selections)) return { markup: null, faults: [...read.faults, { kind: "no-markup" }] };
  if (markup.text === essay) return read;
  return { markup: null, faults: [...read.faults, { kind: "other-text", at: firstDifference(markup.text, essay) }] };
}

/** Return the index of the first difference between two texts, in code points. */
function firstDifference(one: unknown, other: string): number {
  const [signs, others] = [Array.from(String(one)), Array.from(other)];
  const at = others.findIndex((sign, place) => sign !== signs[place]);
  return at < 0 ? others.length : at;
}

/** Conflict of two drafts of one essay, from two devices: fragments that only one of them has, and the choice. */
function Conflict() {
  const { t } = useLingui();
  const { save, fragments, settle } = useDesk();
  if (save.kind !== "conflict") return null;
  return (
    <Disagreement
      settle={settle}
      asks={<p>{t`Nothing is lost: choose the draft to continue. Every saved version stays on the platform.`}</p>}
    >
      <Side title={t`This device`} own={fragments} other={save.theirs} />
      <Side title={t`The other device`} own={save.theirs} other={fragments} />
    </Disagreement>
  );
}

function Side({ title, own, other }: { title: string; own: readonly Fragment[]; other: readonly Fragment[] }) {
  const { essay } = useDesk();
  const alone = inOrder(own).filter((fragment) => !other.some((twin) => sameFragments([fragment], [twin])));
  return (
    <div>
      <h3>{title}</h3>
      <p>
        <Plural value={own.length} one="# fragment" other="# fragments" />;{" "}
        <Plural value={alone.length} one="# only here:" other="# only here:" />
      </p>
      <ul>
        {alone.map((fragment) => (
          <li key={fragment.id}>
            <b>{fragment.code}</b> <q>{quoteOf(essay.text, fragment)}</q>
          </li>
        ))}
      </ul>
    </div>
  );
}
