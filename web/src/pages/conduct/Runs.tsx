import { useLingui } from "@lingui/react/macro";
import { Page } from "@/ui/Page";

export function Runs() {
  const { t } = useLingui();
  return <Page title={t`Runs`}>{null}</Page>;
}
