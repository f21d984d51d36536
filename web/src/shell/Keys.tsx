import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useMe } from "@/auth/hooks";
import { Button } from "@/ui/Button";
import { isTyping, type KeyHelp, usePageKeys } from "@/ui/keys";
import { NAV } from "./nav";
import styles from "./shell.module.css";

const CHORD_MS = 1_500;
const KEY = "hurdle.keys";

/** The site's keys: `?` explains them, `g` and a letter go somewhere, `/` is the page's filter. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(() => localStorage.getItem(KEY) !== "off");
  const navigate = useNavigate();
  const rights = useMe()?.rights;
  useEffect(() => {
    if (!on) return;
    let waitsUntil = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      const place = NAV.find((item) => item.key === event.code && (!item.right || rights?.includes(item.right)));
      if (event.timeStamp < waitsUntil && place) {
        event.preventDefault();
        void navigate({ to: place.to });
      } else if (event.key === "?") {
        dialog.current?.showModal();
      } else if (event.key === "/") {
        const filter = document.querySelector<HTMLElement>("[data-filter]");
        if (filter) event.preventDefault();
        filter?.focus();
      }
      waitsUntil = event.code === "KeyG" ? event.timeStamp + CHORD_MS : 0;
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [on, navigate, rights]);
  const toggle = (wanted: boolean) => {
    if (wanted) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
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
  const { i18n, t } = useLingui();
  const own = usePageKeys();
  const everywhere: KeyHelp[] = [
    { keys: "?", does: t`This list` },
    ...NAV.map((item) => ({ keys: `g ${item.key.replace("Key", "").toLowerCase()}`, does: i18n._(item.label) })),
    { keys: "/", does: t`To this page's filter` },
    { keys: "Esc", does: t`Closes what opened last` },
  ];
  return (
    <table>
      <tbody>
        {[...own, ...everywhere].map(({ keys, does }) => (
          <tr key={keys + does}>
            <th scope="row">
              <kbd>{keys}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
