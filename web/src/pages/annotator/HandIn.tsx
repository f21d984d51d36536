import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import type { Command } from "@/text/commands";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import styles from "./annotator.module.css";
import { Dialog } from "./Dialog";
import { type Id, type Judged, useDesk, useView } from "./desk";
import { placeOf } from "./EditList";
import { gradeOf } from "./Grade";

const NOTHING_WRONG: Command = { deed: "edit", edits: [], about: null };

/** What stands in the way of handing in, what to look at once more, and what goes out. */
export function HandIn({ close }: { close: () => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { goTo } = useView();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { saveNow, run, judged, save } = desk;
  // A text may have no error: that is said by a draft, too.
  const isUnsaid = desk.kind === "edits" && judged === null && save.kind === "saved";
  useEffect(() => {
    if (isUnsaid) run(NOTHING_WRONG);
    void saveNow();
  }, [saveNow, run, isUnsaid]);
  const titles = { markup: t`Hand the markup in`, ratings: t`Hand the ratings in`, edits: t`Hand the errors in` };
  const grade = gradeOf(judged);
  const faults = judged?.faults ?? [];
  const isReady = save.kind === "saved" && judged !== null && faults.length === 0;
  const handIn = async () => {
    setSending(true);
    try {
      await desk.handIn();
    } catch (failure) {
      setError(failure);
      setSending(false);
    }
  };
  const show = (id: Id) => {
    close();
    goTo(id);
  };
  return (
    <Dialog title={titles[desk.kind]} close={close}>
      {desk.kind !== "ratings" && <Counts />}
      {grade && (
        <p>
          <Trans>
            Grade: {grade.total} of {grade.max}
          </Trans>
        </p>
      )}
      <Remarks title={t`Must be put right first`} of={faults} show={show} />
      <Remarks title={t`Look at these once more`} of={judged?.warnings ?? []} show={show} />
      {!isReady && faults.length === 0 && (
        <p role="status">
          {save.kind === "kept" ? (
            <Trans>The platform cannot be reached. Hand in when the connection is back; everything is kept here.</Trans>
          ) : save.kind === "conflict" ? (
            <Trans>Another device saved a newer draft. Close this and choose which one holds.</Trans>
          ) : judged === null && save.kind === "saved" ? (
            <Trans>Nothing has been marked and saved yet.</Trans>
          ) : (
            <Trans>The last changes are being saved.</Trans>
          )}
        </p>
      )}
      {error !== null && <Problem error={error} />}
      <div className={styles.row}>
        <Button primary isDisabled={!isReady || sending} onPress={() => void handIn()}>
          <Trans>Hand in; it cannot be changed afterwards</Trans>
        </Button>
        <Button onPress={close}>
          <Trans>Work on</Trans>
        </Button>
      </div>
    </Dialog>
  );
}

function Counts() {
  const { fragments, kind, codeOf, titleOf } = useDesk();
  const counts = new Map<string, number>();
  for (const each of fragments) {
    const category = kind === "edits" ? each.code : (codeOf(each.code)?.category ?? "");
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

function Remarks({ title, of, show }: { title: string; of: Judged["faults"]; show: (id: Id) => void }) {
  const language = useLanguage();
  const { fragments } = useDesk();
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className={styles.remarks}>
        {of.map((each) => {
          const about = fragments.find(
            (fragment, place) => String(fragment.id) === aboutOf(each) || place === placeOf(each.where.field),
          );
          const said = language === "ru" ? each.message_ru : each.message;
          return (
            <li key={each.code + each.message}>
              {about ? (
                <button type="button" className={styles.link} onClick={() => show(about.id)}>
                  {said}
                </button>
              ) : (
                said
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The fragment that a fault is about; of ratings its name stands in the field. */
function aboutOf({ where }: Judged["faults"][number]): string {
  return String(where.fragment ?? String(where.field).replace("ratings.", ""));
}
