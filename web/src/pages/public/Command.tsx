import { useLingui } from "@lingui/react/macro";
import { CopyButton } from "@/ui/controls";

/** A command to be typed elsewhere, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const { t } = useLingui();
  return (
    <>
      <pre>{text}</pre>
      <CopyButton text={text} what={t`the command`} />
    </>
  );
}
