import { Trans } from "@lingui/react/macro";
import { type Fragment, isWholeText } from "@/text/markup";

/** A fragment in words: its code and what it covers. */
export function Quote({ text, of }: { text: string; of: Fragment | undefined }) {
  if (!of) return "—";
  return (
    <>
      <b>
        {of.code}
        {of.subtype && `/${of.subtype}`}
      </b>{" "}
      {isWholeText(of) ? <Trans>the whole text</Trans> : <q>{text.slice(of.start, of.end)}</q>}
      {of.correction && ` → ${of.correction}`}
    </>
  );
}
