import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { post, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { MessageList, useMessage } from "@/ui/contest";
import { Button, save } from "@/ui/controls";
import { Choice, Field, Form, InBoth, useAction, useDraft } from "@/ui/forms";
import { Page, PageSection, Problem, Skeleton } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import type { FolderFile } from "@/upload/zip";
import { Drop } from "./Drop";
import { Chosen, EXPORTS, useImport } from "./Import";
import { type Schema, SchemaForm, type Value } from "./SchemaForm";

type Checked = Schemas["CycleFileBody"];
type Named = Schemas["CycleFileRequest"]["name"];

const NAMES: readonly Named[] = ["cycle.json", "cycle.yaml", "cycle.yml"];

/** File of a cycle, as it was uploaded or as the form wrote it. */
interface Head {
  readonly name: Named;
  readonly text: string;
}

/** JSON Schema of the cycle's file; it is loaded with this page alone. */
const SCHEMA = {
  queryKey: ["cycle.schema.json"],
  queryFn: async () =>
    (await import("../../../../layers/contest/src/contest/cycle/cycle.schema.json")).default as unknown as Schema,
  staleTime: Number.POSITIVE_INFINITY,
};

/** Create a cycle with its sets from its file or a form: checked as by the command, then loaded whole or not at all. */
export function NewCycle() {
  const { t } = useLingui();
  const schema = useQuery(SCHEMA);
  const [head, setHead] = useState<Head | null>(null);
  const [value, setValue] = useState<Value | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [beside, setBeside] = useState<readonly FolderFile[]>([]);
  /** Counts edits, so that the result of a check started before the last edit is dropped. */
  const edits = useRef(0);
  const [isEdited, setEdited] = useState(false);
  const checking = useAction(
    async (file: Head) => {
      const before = edits.current;
      const checked = (await post("/v1/cycle/file-check", {}, file)) as Checked;
      return before === edits.current ? checked : null;
    },
    (checked, file) => {
      if (!checked) return;
      setHead(file);
      setEdited(false);
      setChecked(checked);
      if (checked.value !== null) setValue(checked.value as Value);
    },
  );
  const text = useMessage();
  const faults = (isEdited ? [] : (checked?.faults ?? [])).map((fault) => ({
    field: String(fault.where.field ?? ""),
    text: text(fault),
  }));
  const begin = async () => {
    const { deployed } = await post("/v1/cycle/file-check", {}, { name: "cycle.json", text: "{}" });
    setChecked(null);
    edit({ cycle: deployed, name: { ru: "", en: "" }, track: "essay", languages: {}, sets: {} });
  };
  const edit = (changed: unknown) => {
    setValue(changed as Value);
    setHead({ name: "cycle.json", text: JSON.stringify(changed, null, 2) });
    edits.current += 1;
    setEdited(true); // the faults stay in place, so that the button under the pointer does not move
  };
  const take = async (files: readonly FolderFile[]) => {
    const own =
      files.find(({ path }) => (NAMES as readonly string[]).includes(path)) ??
      (files.length === 1 ? files[0] : undefined);
    if (!own) throw new Error("no cycle file");
    const name = NAMES.find((name) => name === own.path) ?? (own.path.endsWith(".json") ? "cycle.json" : "cycle.yaml");
    setBeside(files.filter((file) => file !== own));
    checking.mutate({ name, text: await own.file.text() });
  };
  return (
    <Page title={t`Create a cycle`}>
      <p>
        <Trans>
          Bring the cycle's folder or its file, or fill in the form. The platform checks it as the command does, and
          loads all of it or nothing; the present cycle stays until then. What this page cannot do is to deploy: the
          cycle's name, its address and its sign-in are those of this deployment.
        </Trans>
      </p>
      <Drop title={t`Drop the cycle's folder, cycle.json or cycle.yaml here.`} accept=".json,.yaml,.yml" take={take} />
      <p>
        <Button onPress={() => void begin()}>{t`Fill in a form`}</Button>
      </p>
      <FromExport />
      {checking.problem}
      {checked && <Findings of={checked} isEdited={isEdited} />}
      {value && head && (
        <>
          <PageSection id="form-title" title={t`The cycle's file`}>
            {schema.data ? (
              <SchemaForm root={schema.data} schema={schema.data} value={value} change={edit} path="" faults={faults} />
            ) : (
              <Skeleton lines={8} />
            )}
            <p className={parts.actions}>
              <Button onPress={() => checking.mutate(head)} isDisabled={checking.isPending}>
                {t`Check the file`}
              </Button>
              <Button onPress={() => save(new Blob([head.text], { type: "application/json" }), head.name)}>
                {t`Download the file`}
              </Button>
            </p>
          </PageSection>
          <Sets head={head} value={value} beside={beside} />
        </>
      )}
    </Page>
  );
}

/** Create a cycle from an annotation tool's export; show label set, experts and data sets before loading. */
function FromExport() {
  const { t } = useLingui();
  const [files, setFiles] = useState<readonly FolderFile[]>([]);
  const { draft, bind } = useDraft({
    track: "essay" as "essay" | "gec",
    name: { en: "", ru: "" },
    split: "60/20/20",
    language: "und",
    subject: "labels",
  });
  const making = useImport(() => [{ kind: "corpus", new_cycle: draft }, files]);
  return (
    <PageSection id="export-title" title={t`From an export of an annotation tool`}>
      <p>
        <Trans>
          The labels of the export become the classifier, its annotators the experts, its documents the sets. You see
          how far the annotators agree before anything is loaded.
        </Trans>
      </p>
      <Form
        of={making}
        submit={() => files.length > 0 && making.mutate()}
        primary
        isEmpty={files.length === 0}
        send={t`Look at the cycle that it makes`}
      >
        <Drop title={t`Drop the export here: a folder, a zip or a file.`} accept={EXPORTS} take={setFiles}>
          <Chosen files={files} />
        </Drop>
        <InBoth
          labels={{ ru: t`Title in Russian`, en: t`Title in English` }}
          required
          maxLength={200}
          {...bind("name")}
        />
        <Choice
          label={t`Contest`}
          {...bind("track")}
          options={{ essay: t`labelled spans (essay)`, gec: t`corrections (gec)` }}
        />
        <Field
          label={t`Language of the texts (code; und: undetermined)`}
          required
          pattern="[a-z]{2,8}"
          {...bind("language")}
        />
        <Field label={t`Name of the label set`} required maxLength={40} {...bind("subject")} />
        <Field label={t`Per cent of train/test/final`} required maxLength={40} {...bind("split")} />
      </Form>
      {making.progress}
    </PageSection>
  );
}

function Findings({ of, isEdited }: { of: Checked; isEdited: boolean }) {
  const { t } = useLingui();
  if (of.faults.length === 0) {
    return (
      <p role="status" className={isEdited ? undefined : parts.good}>
        {isEdited ? (
          <Trans>
            The file was edited after its check: check it again before you load it. The files of its sets are checked
            when they are brought.
          </Trans>
        ) : (
          t`Nothing is wrong with the file. The files of its sets are checked when they are brought.`
        )}
      </p>
    );
  }
  return (
    <div role="alert">
      <p className={parts.void}>
        <Plural value={of.faults.length} one="# fault in the file:" other="# faults in the file:" />
      </p>
      <MessageList
        of={of.faults}
        place={({ where, file }) => (
          <>
            <code>{String(where.field ?? file)}</code>:{" "}
          </>
        )}
      />
    </div>
  );
}

interface SetsProps {
  head: Head;
  value: Value;
  /** Other files in the folder of the cycle's file. */
  beside: readonly FolderFile[];
}

/** Show a drop area for each set's files, and upload them all. */
function Sets({ head, value, beside }: SetsProps) {
  const { t } = useLingui();
  const [brought, setBrought] = useState<Readonly<Record<string, readonly FolderFile[]>>>({});
  const sets = Object.entries((value.sets ?? {}) as Readonly<Record<string, { folder?: string }>>);
  const folderOf = (name: string, { folder }: { folder?: string }) => folder || name;
  const filesOf = (name: string, set: { folder?: string }) => {
    const folder = folderOf(name, set);
    return brought[name] ?? beside.filter(({ path }) => path.startsWith(`${folder}/`));
  };
  const replaced = sets.filter(([name]) => brought[name]).map(([name, set]) => `${folderOf(name, set)}/`);
  const loading = useImport(() => {
    const own = { path: head.name, file: new Blob([head.text]) };
    const remaining = beside.filter(({ path }) => !replaced.some((folder) => path.startsWith(folder)));
    return [{ kind: "cycle" }, [own, ...remaining, ...Object.values(brought).flat()]];
  });
  return (
    <PageSection id="files-title" title={t`Files of the sets`}>
      {sets.length === 0 && <p>{t`The file names no set yet: add one under sets.`}</p>}
      {sets.map(([name, set]) => {
        const files = filesOf(name, set);
        return (
          <Drop
            key={name}
            title={
              <>
                <code>{name}</code>: <Plural value={files.length} one="# file" other="# files" />
              </>
            }
            accept=".json,.txt"
            take={(files) => {
              const folder = folderOf(name, set);
              setBrought({ ...brought, [name]: files.map(({ path, file }) => ({ path: `${folder}/${path}`, file })) });
            }}
          />
        );
      })}
      {loading.error && !(loading.error instanceof ApiError) ? (
        <p role="alert" className={parts.void}>
          {t`The files cannot be read, or are too many for one zip. Choose them again.`}
        </p>
      ) : (
        loading.error && <Problem error={loading.error} />
      )}
      <p>
        <Button primary onPress={() => loading.mutate()} isDisabled={loading.isPending || sets.length === 0}>
          {t`Check everything and load the cycle`}
        </Button>
      </p>
      {loading.progress}
    </PageSection>
  );
}
