import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api, read } from "@/api/client";
import { Button, CopyButton, save } from "@/ui/controls";
import { Answered, Moment } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { SessionPage } from "./Session";
import {
  bundle,
  type Key,
  type Receipt,
  type SignedReceipt,
  signedReceipts,
  stateWord,
  type Verdict,
  verdictOn,
} from "./words";

const VERDICTS: Record<Verdict, MessageDescriptor> = {
  good: msg`✓ good`,
  unknown_key: msg`✕ unknown key`,
  bad_signature: msg`✕ bad signature`,
  bad_times: msg`✕ decided before it was received`,
  not_here: msg`— this browser does not support Ed25519`,
};

const REASONS: Record<NonNullable<Receipt["reason"]>, MessageDescriptor> = {
  deadline_passed: msg`after the deadline`,
  dialogue_over: msg`after the end of the dialogue`,
  session_closed: msg`after the session's end`,
  too_many_sends: msg`more sends than allowed`,
};

interface Checked {
  receipts: { of: SignedReceipt; verdict: Verdict }[];
  keys: readonly Key[];
}

/** A session's receipts; the page checks each signature. */
export function Receipts() {
  const { t } = useLingui();
  return <SessionPage title={(sessionId) => t`Receipts of session ${sessionId}`} of={Read} />;
}

function Read({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  const checked = useQuery({
    queryKey: ["checked receipts", sessionId],
    queryFn: ({ signal }) => checkedReceipts(sessionId, signal),
  });
  const command = `pku receipts ${sessionId} --verify`;
  return (
    <>
      <p>
        <Trans>
          A receipt is the platform's signed statement of an answer, its content and its time of arrival. This page
          checks each signature with the platform's published keys; the kit does the same without this page.
        </Trans>
      </p>
      <pre>{command}</pre>
      <p>
        <CopyButton text={command} what={t`the command`} />
      </p>
      <p>
        <Trans>
          With <code>--offline</code> it uses the receipts of its own journal and the keys stored at login, without the
          platform.
        </Trans>
      </p>
      <Answered of={checked}>{(data) => <Listed sessionId={sessionId} checked={data} />}</Answered>
    </>
  );
}

async function checkedReceipts(sessionId: string, signal: AbortSignal): Promise<Checked> {
  const keys = (await read("/v1/keys", {}, signal)).keys;
  const signed: SignedReceipt[] = [];
  let after: string | null = null;
  do {
    const params = { path: { session_id: sessionId }, query: after ? { after } : {} };
    const answer = await api.GET("/v1/sessions/{session_id}/receipts", { params, parseAs: "text", signal });
    const page = signedReceipts(answer.data as string);
    signed.push(...page.receipts);
    after = page.next;
  } while (after);
  const receipts = await Promise.all(
    signed.map(async (receipt) => ({ of: receipt, verdict: await verdictOn(receipt, keys) })),
  );
  return { receipts, keys };
}

function Listed({ sessionId, checked: { receipts, keys } }: { sessionId: string; checked: Checked }) {
  const { i18n, t } = useLingui();
  if (receipts.length === 0) return <p>{t`No receipts yet: the platform issues one for every accepted answer.`}</p>;
  const good = receipts.filter(({ verdict }) => verdict === "good").length;
  const keep = () => {
    const signed = receipts.map(({ of }) => of);
    save(new Blob([bundle(signed, keys)], { type: "application/json" }), `receipts-${sessionId}.json`);
  };
  return (
    <>
      <p role="status" className={good === receipts.length ? parts.good : parts.void}>
        <Trans>
          Good signatures: {good} of <Plural value={receipts.length} one="# receipt" other="# receipts" />
        </Trans>
      </p>
      <p>
        <Button onPress={keep}>{t`Download receipts and keys`}</Button>
      </p>
      <Table
        label={t`Table of receipts`}
        rows={receipts}
        rowKey={({ of }) => of.signature}
        columns={[
          { header: "№", cell: ({ of }) => of.receipt.number },
          { header: t`Send`, cell: ({ of }) => of.receipt.send },
          {
            header: t`Signature`,
            cell: ({ verdict }) => i18n._(VERDICTS[verdict]),
            className: ({ verdict }) => (verdict === "good" ? parts.good : parts.void),
          },
          {
            header: t`State`,
            cell: ({ of: { receipt } }) =>
              i18n._(stateWord(receipt.status)) + (receipt.reason ? ` (${i18n._(REASONS[receipt.reason])})` : ""),
          },
          { header: t`Received`, cell: ({ of }) => <Moment at={of.receipt.received_at} /> },
          { header: t`File`, cell: ({ of }) => of.receipt.file_id },
          { header: t`SHA-256 of the answer`, cell: ({ of }) => <code>{of.receipt.content_sha256}</code> },
        ]}
      />
    </>
  );
}
