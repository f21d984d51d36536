import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { EVERY, get, post, read, renewed, type Schemas } from "@/api/client";
import { setKindWord } from "@/pages/cabinet/words";
import { Author } from "@/ui/audit";
import { languageName, MessageList, useLanguage } from "@/ui/contest";
import { Button, PageLink } from "@/ui/controls";
import { Choice, Field, Form, Offers, Reasoned, useAction, useDraft } from "@/ui/forms";
import { AskedPage, Moment, NextPage, PageSection, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import type { FolderFile } from "@/upload/zip";
import { Drop } from "./Drop";
import { Chosen, EXPORTS, useImport } from "./Import";

type Set_ = Schemas["HeldCycleBody"]["sets"][string];

const HELD = get("/v1/conduct/cycle", {}, EVERY.idle);
const OPEN = get("/v1/sets", {}, EVERY.idle);

/** Show the cycle's data sets, which of them are public, and the import of others. */
export function Sets() {
  const { t } = useLingui();
  return (
    <AskedPage title={t`Data sets of the cycle`} asks={HELD}>
      {({ sets }) => (
        <>
          <SetTable sets={sets} />
          <p>
            <Link to="/desk/cycle">{t`Create a cycle, or load the whole of it anew`}</Link>
          </p>
          <Importing names={Object.keys(sets)} />
          <Imports />
        </>
      )}
    </AskedPage>
  );
}

function SetTable({ sets }: { sets: Readonly<Record<string, Set_>> }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const open = useQuery(OPEN);
  const offered = (name: string) => open.data?.sets.find((set) => set.name === name);
  return (
    <Table
      label={t`Table of data sets`}
      empty={t`The cycle has no set yet. Import one below.`}
      rows={Object.entries(sets)}
      rowKey={([name]) => name}
      columns={[
        {
          header: t`Set`,
          cell: ([name]) => (
            <>
              <code>{name}</code>
              {offered(name)?.described && (
                <div>
                  <PageLink to="/sets/$name" id={name}>{t`Contents`}</PageLink>
                </div>
              )}
            </>
          ),
        },
        { header: t`Kind`, cell: ([, set]) => i18n._(setKindWord(set.kind)) },
        {
          header: t`Files`,
          cell: ([, set]) =>
            Object.entries(set.files).map(([code, count]) => (
              <div key={code}>
                {languageName(code, language)}: <Plural value={count} one="# file" other="# files" />
              </div>
            )),
        },
        {
          header: t`Published to everybody`,
          cell: ([name]) => <Publication name={name} at={offered(name)?.published_at ?? null} />,
        },
      ]}
    />
  );
}

function Publication({ name, at }: { name: string; at: string | null }) {
  const path = { name };
  const decide = (published: boolean) => (reason: string) =>
    post("/v1/sets/{name}/publication", path, { published, reason });
  if (at) {
    return (
      <>
        <Moment at={at} />
        <div className={parts.actions}>
          <Reasoned
            label={<Trans>Take back</Trans>}
            asks={<Trans>Unpublish the set {name}? Downloaded copies stay where they are.</Trans>}
            act={decide(false)}
          />
        </div>
      </>
    );
  }
  return (
    <Reasoned
      label={<Trans>Publish</Trans>}
      asks={
        <Trans>
          Publish the present files of the set {name}, with the experts' markups, under CC BY 4.0? Downloaded copies
          cannot be recalled.
        </Trans>
      }
      clause="R 2.6"
      act={decide(true)}
      done={async () => {
        // The set's parts are made at the first request; the public list names the set from then on.
        await read("/v1/sets/{name}", path);
        await renewed();
      }}
    />
  );
}

type Kind = NonNullable<Schemas["ImportRequest"]["set_kind"]>;

const KINDS: readonly Kind[] = ["training", "test", "final", "reserve"];

/** Import a zip: announce it by its SHA-256, upload it in parts, then let a worker check it. */
function Importing({ names }: { names: readonly string[] }) {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ what: "set" as "set" | "cycle", name: "", kind: "training" as Kind });
  const { what, name, kind } = draft;
  const [files, setFiles] = useState<readonly FolderFile[]>([]);
  const isNew = what === "set" && name !== "" && !names.includes(name);
  const bringing = useImport(() => [
    what === "set" ? { kind: what, set: name, ...(isNew && { set_kind: kind }) } : { kind: what },
    files,
  ]);
  return (
    <PageSection id="import-title" title={t`Import`}>
      <p>
        <Trans>
          The platform checks the whole zip, lists every fault, and loads all or nothing. The present content of the
          cycle stays until then.
        </Trans>
      </p>
      <Form
        of={bringing}
        submit={() => files.length > 0 && bringing.mutate()}
        primary
        isEmpty={files.length === 0}
        send={t`Upload`}
      >
        <Choice
          label={t`Contents of the zip`}
          {...bind("what")}
          options={["set", "cycle"]}
          named={(what) => CONTENTS[what]}
        />
        {what === "set" && (
          <Field
            label={t`Name of the set (an existing set is replaced)`}
            required
            list="set-names"
            maxLength={40}
            {...bind("name")}
          >
            <Offers id="set-names" of={names} />
          </Field>
        )}
        {isNew && <Choice label={t`Kind of the new set`} {...bind("kind")} options={KINDS} named={setKindWord} />}
        <Drop
          title={t`Drop a folder or a zip here (256 MiB at most). An export of another annotation tool will do as well.`}
          accept={EXPORTS}
          take={setFiles}
        >
          <Chosen files={files} />
        </Drop>
      </Form>
      {bringing.progress}
    </PageSection>
  );
}

const LATEST = get("/v1/imports", {}, EVERY.idle);

/** Show the imports announced last: who uploaded what, its progress, and a link to its faults. */
function Imports() {
  const { i18n, t } = useLingui();
  const { data, error } = useQuery(LATEST);
  if (error) return <Problem error={error} />;
  if (!data?.imports.length) return null;
  return (
    <PageSection id="imports-title" title={<Trans>Latest imports</Trans>}>
      <Table
        label={t`Table of imports`}
        rows={data.imports}
        rowKey={(row) => row.import_id}
        columns={[
          {
            header: <Trans>Announced</Trans>,
            cell: (row) => (
              <PageLink to="/desk/imports/$importId" id={row.import_id}>
                <Moment at={row.created_at} />
              </PageLink>
            ),
          },
          {
            header: <Trans>Contents of the zip</Trans>,
            cell: (row) => (row.set ? <code>{row.set}</code> : i18n._(CONTENTS[row.kind])),
          },
          { header: <Trans>By</Trans>, cell: (row) => <Author of={row.created_by} /> },
          { header: <Trans>State</Trans>, cell: (row) => i18n._(STATES[row.state]) },
          { header: <Trans>Faults</Trans>, cell: (row) => row.fault_count },
          { header: <Trans>Warnings</Trans>, cell: (row) => row.warning_count },
        ]}
      />
    </PageSection>
  );
}

type Import = Schemas["ImportBody"];

/** Show the progress of an import and all faults of its files. */
export function ImportPage() {
  const { t } = useLingui();
  const { importId } = useParams({ from: "/desk/imports/$importId" });
  const pages = useInfiniteQuery({
    queryKey: ["/v1/imports", importId],
    queryFn: ({ pageParam, signal }): Promise<Import> => {
      const after = pageParam === null ? {} : { after: pageParam };
      return read("/v1/imports/{import_id}", { import_id: importId, ...after }, signal);
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: ({ state }) => (isOver(state.data?.pages[0]?.state) ? false : EVERY.jobs),
  });
  const state = pages.data?.pages[0]?.state;
  useEffect(() => {
    // The list of sets may have been asked for a moment before they were loaded.
    if (state === "done") void renewed();
  }, [state]);
  return (
    <AskedPage title={t`Import`} of={pages}>
      {({ pages: entries }) => {
        const first = entries[0];
        if (!first) return null;
        const warnings = entries.flatMap((dataImport) => dataImport.warnings);
        const [coming, others] = [true, false].map((is) => warnings.filter(({ code }) => (code === "coming") === is));
        const count = first.warning_count - (coming?.length ?? 0);
        return (
          <>
            <State of={first} />
            <Faults
              title={t`Faults`}
              count={first.fault_count}
              faults={entries.flatMap((dataImport) => dataImport.faults)}
            />
            {first.state === "checked" && <Coming importId={importId} choices={first.choices} />}
            <Faults title={t`Another tool's export`} count={coming?.length ?? 0} faults={coming ?? []} />
            <Faults title={t`Warnings`} count={count} faults={others ?? []} />
            <NextPage nextPages={pages}>{t`More of them`}</NextPage>
            <p>
              <Link to="/desk/sets">{t`To the data sets`}</Link>
            </p>
          </>
        );
      }}
    </AskedPage>
  );
}

function isOver(state: Import["state"] | undefined): boolean {
  return state === "checked" || state === "done" || state === "refused";
}

/** Show the checked export of another tool; its warnings say what would be imported. */
function Coming({ importId, choices }: { importId: string; choices: Import["choices"] }) {
  const { t } = useLingui();
  const params = { import_id: importId, confirmed: true };
  const [subject, setSubject] = useState(choices[0]?.subject ?? "");
  const [codes, setCodes] = useState<Readonly<Record<string, string | null>>>({});
  const choice = choices.find((choice) => choice.subject === subject);
  const labels = Object.keys(choice?.labels ?? {});
  const loading = useAction(() => {
    const decided = Object.fromEntries(labels.map((label) => [label, codes[label] ?? null]));
    return post("/v1/imports/{import_id}/complete", params, { subject, codes: decided });
  }, renewed);
  return (
    <>
      <p>
        <Trans>
          This is an export of another annotation tool. Nothing is loaded yet: the list below says which documents,
          annotators and labels would come in, and what would not.
        </Trans>
      </p>
      <Form submit={() => loading.mutate()} problem={loading.problem}>
        {choices.length > 1 && (
          <Choice
            label={<Trans>Subject of the documents</Trans>}
            value={subject}
            change={(chosen) => {
              setSubject(chosen);
              setCodes({});
            }}
            options={choices.map((choice) => choice.subject)}
          />
        )}
        {choice && labels.length > 0 && <Labels of={choice} codes={codes} change={setCodes} />}
        <Button
          primary
          type="submit"
          isDisabled={loading.isPending || labels.some((label) => codes[label] === undefined)}
        >
          {t`Load it`}
        </Button>
      </Form>
    </>
  );
}

interface LabelsProps {
  of: Import["choices"][number];
  codes: Readonly<Record<string, string | null>>;
  change: (codes: Readonly<Record<string, string | null>>) => void;
}

/** Assign a code of the contest to each foreign label, or drop the label. */
function Labels({ of, codes, change }: LabelsProps) {
  const { t } = useLingui();
  const [open, leaveOut] = ["", "-"];
  return (
    <Table
      label={t`Labels without a code`}
      rows={Object.entries(of.labels)}
      rowKey={([label]) => label}
      columns={[
        { header: <Trans>Label of the export</Trans>, cell: ([label]) => <code>{label}</code> },
        { header: <Trans>Times</Trans>, cell: ([, times]) => times },
        {
          header: <Trans>Code of the contest</Trans>,
          cell: ([label]) => (
            <select
              aria-label={t`Code for ${label}`}
              value={codes[label] === undefined ? open : (codes[label] ?? leaveOut)}
              onChange={({ currentTarget: { value } }) => {
                const { [label]: _, ...others } = codes;
                change(value === open ? others : { ...others, [label]: value === leaveOut ? null : value });
              }}
            >
              <option value={open}>{t`choose…`}</option>
              <option value={leaveOut}>{t`leave it out`}</option>
              {of.codes.map((code) => (
                <option key={code} value={code}>
                  {code}
                </option>
              ))}
            </select>
          ),
        },
      ]}
    />
  );
}

function State({ of }: { of: Import }) {
  const { i18n, t } = useLingui();
  const { files, read, state } = of;
  const what = of.set ? of.set : of.kind === "corpus" ? t`a cycle from an export` : t`a whole cycle`;
  const mark = state === "done" ? parts.good : state === "refused" ? parts.void : undefined;
  return (
    <>
      <p role="status">
        <code>{what}</code>: <strong className={mark}>{i18n._(STATES[state])}</strong>
      </p>
      {state === "uploading" && <p>{t`Its upload stopped, or continues in another tab. Resume it here.`}</p>}
      {files > 0 && (
        <p>
          {!isOver(state) && <progress value={read} max={files} aria-label={t`Files that are checked`} />}{" "}
          <Trans>
            checked {read} of {files}, stored {of.stored}
          </Trans>
        </p>
      )}
      {of.failed_at && (
        <p className={parts.void}>
          {t`The worker failed. Its job is among the dead letters, from where you can send it again.`}
        </p>
      )}
      {of.loaded && (
        <ul>
          {Object.entries(of.loaded.sets).map(([name, count]) => (
            <li key={name}>
              <code>{name}</code>: <Plural value={count} one="# file" other="# files" />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Faults({ title, count, faults }: { title: string; count: number; faults: Import["faults"] }) {
  if (count === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title}: {count}
      </h2>
      <MessageList
        of={faults}
        place={({ file }) =>
          file && (
            <>
              <code>{file}</code>:{" "}
            </>
          )
        }
      />
    </section>
  );
}

type ImportLine = Schemas["ImportLine"];

const STATES: Readonly<Record<ImportLine["state"], MessageDescriptor>> = {
  uploading: msg`the zip is not whole yet`,
  queued: msg`waits for a worker`,
  checking: msg`is being checked`,
  checked: msg`checked, waits for your decision`,
  storing: msg`is being stored`,
  done: msg`loaded`,
  refused: msg`refused: nothing was loaded`,
};

const CONTENTS: Readonly<Record<ImportLine["kind"], MessageDescriptor>> = {
  set: msg`the files of one set`,
  cycle: msg`a whole cycle with cycle.json`,
  corpus: msg`a cycle from an export`,
};
