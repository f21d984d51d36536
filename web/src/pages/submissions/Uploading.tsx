import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Confirmed } from "@/ui/forms";
import { Countdown, Moment } from "@/ui/moments";
import { percent } from "@/ui/numbers";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { measured, partsOf } from "@/upload/parts";
import { bytesText } from "./bytes";
import styles from "./submissions.module.css";
import { askedAnew, carryOn, fileNameOf, type Going, giveUp, handIn, stopUpload, useUpload } from "./uploads";
import type { Submission } from "./words";

const HUNDRED = 100;

/** An upload that is not handed in yet: as it goes on in this tab, or how to go on with it. */
export function Uploading({ of }: { of: Submission }) {
  const going = useUpload(of.submission_id);
  return (
    <section className={styles.box} aria-labelledby="upload-title">
      <h2 id="upload-title">
        <Trans>Upload</Trans>
      </h2>
      {going ? <Here of={of} going={going} /> : of.missing_parts.length > 0 ? <GoOn of={of} /> : <Whole of={of} />}
      {of.upload_until && (
        <p>
          <Trans>
            It is refused if it is not handed in by <Moment at={of.upload_until} />; left:{" "}
            <Countdown to={of.upload_until} />. Until then it counts nowhere.
          </Trans>
        </p>
      )}
      <Confirmed
        label={<Trans>Give the upload up</Trans>}
        asks={
          <Trans>
            Give this upload up? What has arrived of it is not used, and it counts nowhere; the file can be submitted
            again.
          </Trans>
        }
        act={() => giveUp(of.submission_id)}
        done={askedAnew}
      />
    </section>
  );
}

function Here({ of, going }: { of: Submission; going: Going }) {
  const { arrived, size, error, waiting } = going;
  const isStopped = error !== null;
  return (
    <>
      <Bar done={arrived} of={size} />
      {isStopped && <Problem error={error} />}
      {waiting && !isStopped && (
        <p role="alert">
          <Trans>The connection is lost. The upload goes on by itself when it is back; what has arrived stays.</Trans>
        </p>
      )}
      {isStopped ? (
        of.missing_parts.length > 0 ? (
          <GoOn of={of} />
        ) : (
          <Whole of={of} />
        )
      ) : (
        <>
          <p className={parts.note}>
            <Trans>Other pages of the site may be opened meanwhile; leave this tab open.</Trans>
          </p>
          <Button onPress={() => stopUpload(of.submission_id)}>
            <Trans>Stop the upload</Trans>
          </Button>
        </>
      )}
    </>
  );
}

/** Bytes that are done, of all of them. */
export function Bar({ done, of }: { done: number; of: number }) {
  const { t } = useLingui();
  const language = useLanguage();
  const [has, all] = [bytesText(done, language), bytesText(of, language)];
  const share = percent((done / of) * HUNDRED, language);
  return (
    <p>
      <progress value={done} max={of} aria-label={t`Upload`} />{" "}
      <Trans>
        {has} of {all}, {share} %
      </Trans>
    </p>
  );
}

/** All parts are there: the last step was refused, or somebody stopped before it. */
function Whole({ of }: { of: Submission }) {
  const handing = useMutation({ mutationFn: () => handIn(of.submission_id), onSettled: askedAnew });
  return (
    <>
      <p>
        <Trans>The whole file has arrived. It is checked and scored when it is handed in.</Trans>
      </p>
      {handing.error && <Problem error={handing.error} />}
      <Button primary isDisabled={handing.isPending} onPress={() => handing.mutate()}>
        <Trans>Hand in</Trans>
      </Button>
    </>
  );
}

class AnotherFile extends Error {}

/** After a reload the page has no file any more: the same one is chosen again, and only what is missing is brought. */
function GoOn({ of }: { of: Submission }) {
  const { t } = useLingui();
  const language = useLanguage();
  const [read, setRead] = useState<number | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const going = useMutation({
    mutationFn: async (file: File) => {
      stop.current = new AbortController();
      if (file.size !== of.bytes) throw new AnotherFile();
      const { sha256 } = await measured(file, { tell: setRead, signal: stop.current.signal });
      if (sha256 !== of.sha256) throw new AnotherFile();
      void carryOn(of, file);
    },
    onSettled: () => setRead(null),
  });
  const name = fileNameOf(of.submission_id) ?? t`the same file`;
  const all = partsOf(of.bytes).length;
  const there = all - of.missing_parts.length;
  const size = bytesText(of.bytes, language);
  return (
    <>
      <p>
        <Trans>
          The upload stands still: {there} of {all} parts have arrived. Choose {name} again ({size}), and only what is
          missing is brought.
        </Trans>
      </p>
      {going.error && (going.error instanceof AnotherFile ? <Another of={of} /> : <Problem error={going.error} />)}
      <label className={parts.field}>
        <Trans>The file that was announced</Trans>
        <input
          type="file"
          disabled={going.isPending}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file) going.mutate(file);
          }}
        />
      </label>
      {read !== null && (
        <p role="status">
          <Trans>The file is read and compared.</Trans>
        </p>
      )}
    </>
  );
}

function Another({ of }: { of: Submission }) {
  return (
    <p role="alert" className={parts.void}>
      <Trans>
        This is another file than was announced: size or SHA-256 differ. The announced one has {of.bytes} bytes and the
        SHA-256 <code>{of.sha256}</code>. For another file begin a new submission.
      </Trans>
    </p>
  );
}
