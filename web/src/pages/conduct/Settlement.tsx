import { useLingui } from "@lingui/react/macro";
import { Page } from "@/ui/Page";

export function Settlement() {
  const { t } = useLingui();
  return <Page title={t`Settlement`}>{null}</Page>;
}
