import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EVERY, get, post, renewed, type Schemas } from "@/api/client";
import { Button, CopyButton } from "@/ui/controls";
import { Confirmed, Field, Form, useAction, useDraft } from "@/ui/forms";
import { Answered, Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

type Hook = Schemas["HookBody"];
type Attempt = Schemas["HookAttemptBody"];

const OUTCOMES: Readonly<Record<Attempt["outcome"], MessageDescriptor>> = {
  taken: msg`taken`,
  refused: msg`refused by the host`,
  no_answer: msg`no answer within five seconds`,
  unreachable: msg`the host could not be reached`,
  not_public: msg`the host has no public address`,
};

const KINDS: Readonly<Record<string, MessageDescriptor>> = {
  hello: msg({ message: "test", context: "request" }),
  application: msg`application`,
  answer: msg`question or answer`,
  run: msg`schedule of a run`,
  results: msg({ message: "results", context: "request about" }),
  announcement: msg`announcement`,
};

/** True while a requested test delivery, or the first one, has no attempt yet. */
function awaitsTest({ attempts, off_at: off, ...hook }: Hook): boolean {
  const since = hook.tested_at ?? hook.created_at;
  return off === null && !attempts.some(({ at, kind }) => kind === "hello" && at >= since);
}

interface HooksProps {
  title: ReactNode;
  /** Explains which events these webhooks receive. */
  intro: ReactNode;
  empty: ReactNode;
  command: string;
}

/** Webhooks of a team or of the organizers: add, test, remove; their last requests and the public key. */
export function Hooks({ title, intro, empty, command }: HooksProps) {
  const hooks = useQuery({
    ...get("/v1/hooks", {}),
    refetchInterval: ({ state }) => (state.data?.hooks.some(awaitsTest) ? EVERY.live : EVERY.idle),
  });
  return (
    <>
      <PageSection id="hooks-title" title={title}>
        <p>{intro}</p>
        <Answered of={hooks}>
          {({ hooks: listed }) =>
            listed.length === 0 ? <p>{empty}</p> : listed.map((hook) => <Listed key={hook.hook_id} hook={hook} />)
          }
        </Answered>
      </PageSection>
      <Adding />
      <Verifying command={command} />
    </>
  );
}

function Listed({ hook }: { hook: Hook }) {
  const { i18n, t } = useLingui();
  const testing = useAction(() => post("/v1/hooks/{hook_id}/test", { hook_id: hook.hook_id }), renewed);
  const awaits = awaitsTest(hook);
  const { url } = hook;
  return (
    <section aria-labelledby={`hook-${hook.hook_id}`}>
      <h3 id={`hook-${hook.hook_id}`} className={parts.said}>
        {url}
      </h3>
      <p className={parts.note}>
        <Trans>
          Identifier <code>{hook.hook_id}</code>, added <Moment at={hook.created_at} />
        </Trans>
      </p>
      <p role="status" className={hook.off_at || hook.failures ? parts.void : undefined}>
        {hook.off_at ? (
          <Trans>
            Off since <Moment at={hook.off_at} />: all requests failed. Remove it, and add the address anew.
          </Trans>
        ) : awaits ? (
          t`A test request comes within two minutes; its outcome will stand here.`
        ) : (
          hook.failures > 0 && <Trans>Failed attempts in a row: {hook.failures}</Trans>
        )}
      </p>
      <Table
        label={t`Last requests to ${url}`}
        rows={hook.attempts}
        rowKey={({ event, number }) => `${event} ${number}`}
        empty={<Trans>Nothing was sent to this address yet.</Trans>}
        columns={[
          { header: <Trans>When</Trans>, cell: ({ at }) => <Moment at={at} /> },
          { header: <Trans>About</Trans>, cell: ({ kind }) => (KINDS[kind] ? i18n._(KINDS[kind]) : kind) },
          {
            header: <Trans>Outcome</Trans>,
            cell: ({ outcome, status }) => `${i18n._(OUTCOMES[outcome])}${status ? `, HTTP ${status}` : ""}`,
            className: ({ outcome }) => (outcome === "taken" ? parts.good : parts.void),
          },
          { header: <Trans>Attempt</Trans>, cell: ({ number }) => number },
          {
            header: <Trans>Again</Trans>,
            cell: ({ outcome, next_at: next }) =>
              next ? <Moment at={next} /> : outcome === "taken" ? "—" : <Trans>given up</Trans>,
          },
        ]}
      />
      {testing.problem}
      <div className={parts.actions}>
        {hook.off_at === null && (
          <Button isDisabled={testing.isPending || awaits} onPress={() => testing.mutate()}>
            <Trans>Send a test request</Trans>
          </Button>
        )}
        <Confirmed
          label={<Trans>Remove the webhook</Trans>}
          asks={<Trans>Nothing is sent to this address any more: {url}</Trans>}
          act={() => post("/v1/hooks/{hook_id}/removal", { hook_id: hook.hook_id })}
        />
      </div>
    </section>
  );
}

function Adding() {
  const { t } = useLingui();
  const { draft, bind, change } = useDraft({ url: "" });
  const adding = useAction(
    () => post("/v1/hooks", {}, draft),
    () => {
      change({ url: "" });
      return renewed();
    },
  );
  return (
    <PageSection id="hook-adding" title={t`Add an address`}>
      <Form aria-labelledby="hook-adding" of={adding} send={t`Add the webhook`} sent={t`✓ Added.`}>
        <Field
          label={t`Address, https on port 443`}
          look={`${parts.field} ${parts.long}`}
          required
          type="url"
          placeholder="https://example.org/hurdle"
          maxLength={500}
          {...bind("url")}
        />
      </Form>
    </PageSection>
  );
}

function Verifying({ command }: { command: string }) {
  const { t } = useLingui();
  const keys = useQuery(get("/v1/keys", {}));
  return (
    <PageSection id="hook-verifying" title={t`Verify a request`}>
      <p>
        <Trans>
          Anybody may send a request to your address: believe one only if the platform signed it, and if its{" "}
          <code>hook</code> is the identifier above. The signature is over the canonical JSON of <code>event</code>. To
          check a body that you have saved:
        </Trans>
      </p>
      <pre>{command}</pre>
      <Answered of={keys}>
        {({ keys: listed }) => {
          const key = listed.find(({ valid_until: until }) => until === null);
          return (
            key && (
              <dl className={parts.facts}>
                <Fact name={t`Key`}>
                  <code>{key.key_id}</code>, {key.algorithm}
                </Fact>
                <Fact name={t`Public key, base64`}>
                  <code className={parts.said}>{key.public_key}</code>{" "}
                  <CopyButton text={key.public_key} what={t`the public key`} />
                </Fact>
              </dl>
            )
          );
        }}
      </Answered>
      <p>
        <a href="/v1/keys">{t`All keys, earlier ones too (JSON)`}</a>
      </p>
    </PageSection>
  );
}
