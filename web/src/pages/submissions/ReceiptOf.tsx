import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "@/ui/contest";
import { Button, save } from "@/ui/controls";
import { Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { day } from "@/ui/time";
import { type CheckedReceipt, checkedReceipt, receiptFile } from "./receipt";
import type { SubmissionVerdict } from "./verdict";
import type { Submission } from "./words";

const VERDICTS: Readonly<Record<SubmissionVerdict, MessageDescriptor>> = {
  good: msg`✓ The platform signed it, and it is of this file.`,
  other_file: msg`✕ It is signed, but of another submission or another file than this page shows. Keep it and tell the organizers.`,
  unknown_key: msg`✕ The key that signed it is none of the platform's. Keep it and tell the organizers.`,
  bad_signature: msg`✕ The signature is not of these words. Keep it and tell the organizers.`,
  not_here: msg`— This browser knows no Ed25519: check it in another one, or keep the file.`,
};

/** The platform's signed word that the file came, checked in this browser. */
export function ReceiptOf({ of }: { of: Submission }) {
  const receipt = useQuery({
    queryKey: ["checked receipt", of.submission_id],
    queryFn: () => checkedReceipt(of),
    enabled: of.completed_at !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!of.completed_at) {
    return (
      <p>
        <Trans>No receipt yet: the platform gives one when the file is handed in.</Trans>
      </p>
    );
  }
  return (
    <>
      <p>
        <Trans>
          A receipt is the platform's signed word that this file came, when, and for which day it counts. This page
          checks the signature with the platform's published keys.
        </Trans>
      </p>
      <Answered of={receipt}>{(told) => <Told of={told} />}</Answered>
    </>
  );
}

function Told({ of }: { of: CheckedReceipt }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const { receipt, verdict } = of;
  const isGood = verdict === "good";
  return (
    <>
      <p role="status" className={isGood ? parts.good : parts.void}>
        {i18n._(VERDICTS[verdict])}
      </p>
      <dl className={parts.facts}>
        <dt>
          <Trans>Received</Trans>
        </dt>
        <dd>
          <Moment at={receipt.received_at} />
        </dd>
        <dt>
          <Trans>Counts for</Trans>
        </dt>
        <dd>{day(receipt.day, language)}</dd>
        <dt>
          <Trans>SHA-256 of the file</Trans>
        </dt>
        <dd>
          <code>{receipt.content_sha256}</code>
        </dd>
        <dt>
          <Trans>Key</Trans>
        </dt>
        <dd>
          <code>{receipt.key_id}</code>
        </dd>
      </dl>
      <Button onPress={() => save(receiptFile(of), `receipt-${receipt.submission_id}.json`)}>
        <Trans>Download receipt and keys</Trans>
      </Button>
    </>
  );
}
