import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useMe } from "@/auth/hooks";
import { Button } from "@/ui/controls";
import { type KeyHelp, lettersAreKeys, makeLettersKeys, useChords, useLetters, usePageKeys } from "@/ui/keys";
import { Table } from "@/ui/Table";
import { useLabel } from "./label";
import { NAV } from "./nav";
import styles from "./shell.module.css";

/** The site's keys: `?` explains them, `g` and a letter go somewhere, `/` is the page's filter. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(lettersAreKeys);
  const navigate = useNavigate();
  const rights = useMe()?.rights;
  const places = NAV.filter((item) => !item.right || rights?.includes(item.right));
  useChords(places, ({ to }) => void navigate({ to }));
  useLetters(({ key }) => {
    const filter = key === "/" ? document.querySelector<HTMLElement>("[data-filter]") : null;
    if (key === "?") dialog.current?.showModal();
    filter?.focus();
    return filter !== null;
  });
  const toggle = (wanted: boolean) => {
    makeLettersKeys(wanted);
    setOn(wanted);
  };
  return (
    <>
      <Button onPress={() => dialog.current?.showModal()}>
        <Trans>Keys</Trans>
      </Button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">
          <Trans>Keys</Trans>
        </h2>
        <KeyTable />
        <label>
          <input type="checkbox" checked={on} onChange={(event) => toggle(event.currentTarget.checked)} />{" "}
          <Trans>Single letters are keys (outside of fields)</Trans>
        </label>
        <p>
          <Button onPress={() => dialog.current?.close()}>
            <Trans>Close</Trans>
          </Button>
        </p>
      </dialog>
    </>
  );
}

function KeyTable() {
  const { t } = useLingui();
  const labelOf = useLabel();
  const own = usePageKeys();
  const everywhere: KeyHelp[] = [
    { keys: "?", does: t`This list` },
    ...NAV.map((item) => ({ keys: `g ${item.key.replace("Key", "").toLowerCase()}`, does: labelOf(item) })),
    { keys: "/", does: t`To this page's filter` },
    { keys: "Esc", does: t`Closes what opened last` },
  ];
  return (
    <Table
      rows={[...own, ...everywhere]}
      rowKey={({ keys, does }) => keys + does}
      columns={[{ cell: ({ keys }) => <kbd>{keys}</kbd> }, { cell: ({ does }) => does }]}
    />
  );
}
