import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { AskedPage } from "@/shell/AskedPage";
import { useCycleZone, useLanguage } from "@/ui/contest";
import { Button, save } from "@/ui/controls";
import { Dated, Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { moment } from "@/ui/time";

type Check_ = Schemas["CheckBody"];
type Grade = Check_["grade"];

const GRADES: readonly Grade[] = ["failed", "unknown", "warning", "ok"];
const WORDS: Readonly<Record<Grade, MessageDescriptor>> = {
  failed: msg`✕ Failed`,
  unknown: msg`? Could not be looked at`,
  warning: msg`! To be thought about`,
  ok: msg`✓ In order`,
};

/** The cycle looked over before a final, and the cycle as its file says it. */
export function Check() {
  const { t } = useLingui();
  const { run } = useSearch({ from: "/desk/check" });
  const found = useQuery(get("/v1/check", { params: { query: run ? { run } : {} } }));
  return (
    <AskedPage title={t`Check of the cycle`} of={found}>
      {(told) => (
        <>
          <Finals run={run ?? told.run_id} />
          <Verdict of={told} again={() => void found.refetch()} />
          {GRADES.map((grade) => (
            <Graded key={grade} grade={grade} of={told.checks.filter((each) => each.grade === grade)} />
          ))}
          <Description />
        </>
      )}
    </AskedPage>
  );
}

/** Of which final terms, teams and experts are looked at. */
function Finals({ run }: { run: string | null }) {
  const language = useLanguage();
  const zone = useCycleZone();
  const navigate = useNavigate({ from: "/desk/check" });
  const runs = useQuery(get("/v1/conduct/runs", { params: { query: { mode: "final", limit: 50 } } }));
  if (!runs.data || runs.data.runs.length === 0) return null;
  return (
    <search className={parts.filters}>
      <label>
        <Trans>Final</Trans>
        <select
          value={run ?? ""}
          onChange={(event) => void navigate({ search: { run: event.currentTarget.value }, replace: true })}
        >
          {runs.data.runs.map((each) => (
            <option key={each.run_id} value={each.run_id}>
              {moment(Date.parse(each.starts_at), language, zone).own} · {each.set}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

function Verdict({ of, again }: { of: Schemas["ChecksBody"]; again: () => void }) {
  const { failed, warnings } = of;
  return (
    <>
      <p role="status" className={failed > 0 ? parts.void : parts.good}>
        {failed > 0 ? (
          <Trans>
            ✕ Failed: {failed}, to be thought about: {warnings}
          </Trans>
        ) : (
          <Trans>✓ Nothing failed; to be thought about: {warnings}</Trans>
        )}
      </p>
      <div className={parts.actions}>
        <Button onPress={again}>
          <Trans>Look again</Trans>
        </Button>
        <span>
          <Trans>
            looked at <Moment at={of.server_time} />
          </Trans>
        </span>
      </div>
    </>
  );
}

function Graded({ grade, of }: { grade: Grade; of: readonly Check_[] }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  if (of.length === 0) return null;
  const title = i18n._(WORDS[grade]);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {of.map((each) => (
          <li key={`${each.name} ${each.message}`}>
            <code>{each.name}</code>: <Dated text={language === "ru" ? each.message_ru : each.message} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Description() {
  const found = useQuery(get("/v1/cycle/description", {}));
  return (
    <section aria-labelledby="description-title">
      <h2 id="description-title">
        <Trans>The cycle as its file says it</Trans>
      </h2>
      <Answered of={found}>
        {({ description }) => {
          const text = JSON.stringify(description, null, 2);
          return (
            <>
              <p>
                <Button onPress={() => save(new Blob([text], { type: "application/json" }), "cycle-description.json")}>
                  <Trans>Download JSON</Trans>
                </Button>
              </p>
              <details>
                <summary>
                  <Trans>Read it here</Trans>
                </summary>
                <pre>{text}</pre>
              </details>
            </>
          );
        }}
      </Answered>
    </section>
  );
}
