import { Trans, useLingui } from "@lingui/react/macro";
import { type ChangeEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { replacement } from "@/text/commands";
import { keepAsJson, keepAsNotation } from "@/text/keeping";
import { fromSent, type SentMarkup, toSent } from "@/text/markup";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import styles from "./annotator.module.css";
import { Dialog } from "./Dialog";
import { useDesk } from "./desk";

type Detail = Schemas["Detail"];
type Fault =
  | { readonly kind: "told"; readonly detail: Detail }
  | { readonly kind: "no-json"; readonly said: string }
  | { readonly kind: "no-markup" }
  | { readonly kind: "other-text"; readonly at: number };
interface Read {
  readonly markup: SentMarkup | null;
  readonly faults: readonly Fault[];
}

/** A markup in and out, as JSON or in the notation; the platform reads and writes the notation. */
export function Exchange({ close }: { close: () => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const [read, setRead] = useState<Read | null>(null);
  const [error, setError] = useState<unknown>(null);
  const attempt = async (work: () => Promise<void>) => {
    try {
      setError(null);
      await work();
    } catch (failure) {
      setError(failure);
    }
  };
  const groupOf = (name: string) => desk.codeOf(name)?.group ?? "error";
  const markup = () => toSent(desk.fragments, desk.essay, groupOf);
  const asNotation = async () => {
    const faults = await keepAsNotation(markup());
    if (faults.length > 0) setRead({ markup: null, faults: faults.map(told) });
  };
  const bring = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (!file) return;
    const text = await file.text();
    await attempt(async () => setRead(checked(await parsed(file.name, text), desk.essay.text)));
  };
  const take = (from: SentMarkup) => {
    desk.run(replacement(desk.fragments, fromSent(from), "import"));
    close();
  };
  return (
    <Dialog title={desk.closed === null ? t`Import, export` : t`Export`} close={close}>
      <div className={styles.row}>
        <Button onPress={() => keepAsJson(markup())}>
          <Trans>Save as JSON</Trans>
        </Button>
        <Button onPress={() => void attempt(asNotation)}>
          <Trans>Save in the notation (.txt)</Trans>
        </Button>
      </div>
      {desk.closed === null && (
        <label className={styles.field}>
          <span>
            <Trans>Bring a markup of this essay, JSON or notation</Trans>
          </span>
          <input type="file" accept=".json,.txt" onChange={(event) => void bring(event)} />
        </label>
      )}
      {error !== null && <Problem error={error} />}
      {read && <Preview read={read} take={take} />}
      <div className={styles.row}>
        <Button onPress={close}>
          <Trans>Close</Trans>
        </Button>
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
          {faults.map((each) => (
            <li key={JSON.stringify(each)}>
              <Said fault={each} />
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

function Said({ fault }: { fault: Fault }) {
  const language = useLanguage();
  if (fault.kind === "no-json") return <Trans>This is no JSON: {fault.said}</Trans>;
  if (fault.kind === "no-markup") return <Trans>This is no markup: it has no list of fragments.</Trans>;
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

function told(detail: Detail): Fault {
  return { kind: "told", detail };
}

async function parsed(name: string, text: string): Promise<Read> {
  if (name.toLowerCase().endsWith(".json")) {
    try {
      return { markup: JSON.parse(text) as SentMarkup, faults: [] };
    } catch (failure) {
      return { markup: null, faults: [{ kind: "no-json", said: String(failure) }] };
    }
  }
  const { data } = await api.POST("/v1/notation/parse", {
    body: text,
    bodySerializer: (body: string) => body,
    headers: { "content-type": "text/plain" },
  });
  return {
    markup: (data?.answer as SentMarkup | null) ?? null,
    faults: [...(data?.errors ?? []), ...(data?.warnings ?? [])].map(told),
  };
}

function checked(read: Read, essay: string): Read {
  const { markup } = read;
  if (markup === null) return read;
  if (!Array.isArray(markup.selections)) return { markup: null, faults: [...read.faults, { kind: "no-markup" }] };
  if (markup.text === essay) return read;
  return { markup: null, faults: [...read.faults, { kind: "other-text", at: firstDifference(markup.text, essay) }] };
}

/** Where two texts begin to differ, in code points. */
function firstDifference(one: unknown, other: string): number {
  const [signs, others] = [Array.from(String(one)), Array.from(other)];
  const at = others.findIndex((sign, place) => sign !== signs[place]);
  return at < 0 ? others.length : at;
}
