import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { openDialog } from "@/ui/forms";
import { PageSection, useNow } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { left } from "@/ui/time";
import styles from "./annotator.module.css";
import { type Sheet, type Steps, useDesk, type Working } from "./desk";

interface BarProps {
  work: Working;
  label: string;
  steps: Steps;
  children?: ReactNode;
}

/** Toolbar above the work: time left, save state, undo and redo, and other actions. */
export function Bar({ work, label, steps, children }: BarProps) {
  const { t } = useLingui();
  return (
    <div className={styles.header} data-part="toolbar" role="toolbar" aria-label={label}>
      <TimeLeft of={work} />
      <span className={styles.save} role="status" data-state={work.save.kind}>
        <Saving of={work} />
      </span>
      {work.closed === null && (
        <span className={styles.steps}>
          <Button aria-label={t`Undo`} isDisabled={!work.undoable} onPress={steps.undo}>
            ↶
          </Button>
          <Button aria-label={t`Redo`} isDisabled={!work.redoable} onPress={steps.redo}>
            ↷
          </Button>
        </span>
      )}
      {children}
    </div>
  );
}

/** Toolbar of an essay: time left, save state, and actions on the whole essay. */
export function Header({ steps, open }: { steps: Steps; open: (sheet: Sheet) => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const isOpen = desk.closed === null;
  return (
    <Bar work={desk} label={desk.kind === "edits" ? t`The text` : t`The essay`} steps={steps}>
      {desk.kind === "markup" && (
        <>
          <Button onPress={() => open("exchange")}>{isOpen ? t`Import, export` : t`Export`}</Button>
          <Button onPress={() => open("shortcuts")}>{t`Keys`}</Button>
        </>
      )}
      {isOpen && (
        <Button primary onPress={() => open("hand-in")}>
          {t`Hand in…`}
        </Button>
      )}
    </Bar>
  );
}

function Saving({ of: { save, closed, takeOver } }: { of: Working }) {
  const { t } = useLingui();
  const clock = useClock();
  if (closed === "elsewhere") {
    return (
      <>
        {t`This is open in another tab; here it is read only.`} <Button onPress={takeOver}>{t`Work on it here`}</Button>
      </>
    );
  }
  if (closed === "over") return t`Read only: work on this essay has ended.`;
  if (save.kind === "refused") {
    return t`The platform no longer accepts this draft; everything is stored on this device.`;
  }
  if (save.kind === "saved") return save.at ? t`✓ saved ${clock(Date.parse(save.at))}` : t`Nothing to save yet`;
  if (save.kind === "kept") {
    return (
      <Trans>
        kept on this device, no connection since {clock(save.since)},{" "}
        <Plural value={save.changes} one="# change waits" other="# changes wait" />
      </Trans>
    );
  }
  if (save.kind === "conflict") return t`another device saved a newer draft: choose below`;
  return t`saving…`;
}

function useClock(): (at: number) => string {
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(language === "ru" ? "ru-RU" : "en-GB", { timeStyle: "medium" });
  return (at) => format.format(at);
}

const TOLD_MINUTES = [10, 5, 1];
/** Minutes left from which the time is coloured; a clinician's whole round has only ten. */
const LATE_MINUTES = 5;

/** Time left by the platform's clock, announced to screen readers ten, five and one minute before the end. */
function TimeLeft({ of: { closesAt, refresh } }: { of: Working }) {
  const { t } = useLingui();
  const now = useNow();
  const [told, tell] = useState<number | null>(null);
  const rest = closesAt === null ? null : Date.parse(closesAt) - now;
  const isOver = rest !== null && rest <= 0;
  const minutes = rest === null ? undefined : TOLD_MINUTES.findLast((minute) => rest <= minute * 60_000);
  useEffect(() => {
    if (minutes !== undefined) tell(minutes);
  }, [minutes]);
  useEffect(() => {
    if (isOver) refresh();
  }, [isOver, refresh]);
  if (rest === null) return null;
  const { days, clock } = left(rest);
  return (
    <>
      <strong className={styles.time} data-late={minutes !== undefined && minutes <= LATE_MINUTES ? "" : undefined}>
        <span role="timer">{days > 0 ? t`${days} d ${clock} left` : t`${clock} left`}</span>
      </strong>
      <span className="sr-only" role="status">
        {told !== null && !isOver && (
          <Plural value={told} one="Less than # minute left" other="Less than # minutes left" />
        )}
      </span>
    </>
  );
}

/** A modal sheet: the browser keeps the focus in it, Esc closes it, and the focus goes back to where it was. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element) openDialog(element);
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`${parts.dialog} ${styles.dialog}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DisagreementProps {
  settle: (choice: "mine" | "theirs") => void;
  asks?: ReactNode;
  children: ReactNode;
}

/** Two drafts of one work, from two devices, and the choice between them. */
export function Disagreement({ settle, asks, children }: DisagreementProps) {
  const { t } = useLingui();
  return (
    <PageSection id="conflict" title={t`Another device saved a newer draft`} role="alert" className={styles.conflict}>
      {asks}
      <div className={styles.two}>{children}</div>
      <div className={styles.row}>
        <Button onPress={() => settle("mine")}>{t`Continue with this device's draft`}</Button>
        <Button onPress={() => settle("theirs")}>{t`Continue with the other draft (can be undone)`}</Button>
      </div>
    </PageSection>
  );
}
