import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@/ui/controls";
import { Table } from "@/ui/Table";
import styles from "./annotator.module.css";
import { Dialog } from "./Dialog";

/** Every key of the annotator. */
export function Shortcuts({ third, close }: { third: boolean; close: () => void }) {
  const { t } = useLingui();
  const adopting: [string, string][] = [
    ["]", t`the next place where the two earlier markups differ`],
    ["[", t`the previous place where they differ`],
    ["1, 2", t`adopt from the first, from the second`],
    ["Shift+1, Shift+2", t`take from it only the code, or the place, that differs`],
    ["0", t`adopt everything they agree in`],
  ];
  const rows: [string, string][] = [
    [t`letters, Enter`, t`find a code for the selected words`],
    ["1 … 9", t`take one of the codes used last for the selected words`],
    ["Ctrl+Enter", t`the same code again for the selected words`],
    ["Ctrl+Shift+F", t`an error of the whole text`],
    ["Alt+↓, Alt+↑", t`next, previous fragment`],
    ["Alt+Enter", t`the fragment at the caret, again: the one around it`],
    ["Enter", t`the active fragment's details`],
    ["Delete", t`remove the active fragment`],
    ["← →", t`in the list: move the fragment's end by a word; with Shift its start`],
    ["Ctrl+K", t`link the active fragment: type a number`],
    ...(third ? adopting : []),
    ["F6, Shift+F6", third ? t`text, earlier markups, list, details, grade` : t`text, list, details, grade`],
    ["Ctrl+Z, Ctrl+Shift+Z", t`undo, redo`],
    ["Ctrl+S", t`save now`],
    ["Ctrl+Shift+Enter", t`hand in`],
    ["Esc", t`close what lies on top, leave the fragment`],
    ["F1, ?", t`this list`],
  ];
  return (
    <Dialog title={t`Keys`} close={close}>
      <Table
        rows={rows}
        rowKey={([keys]) => keys}
        columns={[{ cell: ([keys]) => <kbd>{keys}</kbd> }, { cell: ([, does]) => does }]}
      />
      <div className={styles.row}>
        <Button onPress={close}>
          <Trans>Close</Trans>
        </Button>
      </div>
    </Dialog>
  );
}
