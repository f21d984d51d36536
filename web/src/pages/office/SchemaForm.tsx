import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Choice, Field } from "@/ui/forms";
import parts from "@/ui/parts.module.css";
import styles from "./office.module.css";

/** A part of a JSON Schema, as pydantic writes it, with its descriptions in both languages. */
export interface Schema {
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
  type?: string;
  description?: string;
  description_ru?: string;
  default?: unknown;
  enum?: readonly string[];
  const?: string;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  /** Map with one entry: the pattern of names that have a form of their own. */
  patternProperties?: Readonly<Record<string, Schema>>;
  propertyNames?: Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
}

export type Value = Readonly<Record<string, unknown>>;

/** Fault of a field, by the field's path. */
export interface Fault {
  readonly field: string;
  readonly text: string;
}

interface PartProps {
  root: Schema;
  schema: Schema;
  value: unknown;
  change: (value: unknown) => void;
  path: string;
  name: string;
  required?: boolean;
  faults: readonly Fault[];
}

/** Return the schema of a part with its `$ref` resolved and, of several forms, the one that is not null. */
export function followed(root: Schema, part: Schema): Schema {
  if (part.$ref) {
    const { $ref, ...own } = part;
    return { ...followed(root, root.$defs?.[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {}), ...own };
  }
  const form = part.anyOf?.find(({ type }) => type !== "null");
  if (!form) return part;
  const { anyOf: _, ...own } = part;
  return { ...followed(root, form), ...own };
}

/** Return the value with the field set, or without it if it is empty: an empty field is left to the contest. */
function withPart(value: unknown, name: string, part: unknown): Value {
  const { [name]: _, ...rest } = (value ?? {}) as Record<string, unknown>;
  return part === undefined || part === "" ? rest : { ...rest, [name]: part };
}

/** Show the fields of an object, the required ones first. */
export function SchemaForm(props: Omit<PartProps, "name" | "required">) {
  const { root, value, change, path, faults } = props;
  const schema = followed(root, props.schema);
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {}).filter((name) => name !== "$schema");
  const fields = (value ?? {}) as Value;
  return (
    <div className={styles.schema}>
      {[...names]
        .sort((one, other) => Number(required.includes(other)) - Number(required.includes(one)))
        .map((name) => (
          <Part
            key={name}
            root={root}
            schema={schema.properties?.[name] ?? {}}
            name={name}
            path={path === "" ? name : `${path}.${name}`}
            value={fields[name]}
            change={(part) => change(withPart(value, name, part))}
            required={required.includes(name)}
            faults={faults}
          />
        ))}
    </div>
  );
}

function Part(props: PartProps) {
  const schema = followed(props.root, props.schema);
  if (schema.properties) return <Group {...props} schema={schema} />;
  const { additionalProperties: others, patternProperties = {} } = schema;
  const inner = typeof others === "object" ? others : Object.values(patternProperties)[0];
  if (schema.type === "object" && inner) return <Named {...props} schema={schema} inner={inner} />;
  if (schema.type === "array" && schema.items) {
    const items = followed(props.root, schema.items);
    return items.properties ? (
      <Listed {...props} schema={schema} inner={schema.items} />
    ) : (
      <Lines {...props} schema={schema} items={items} />
    );
  }
  return (
    <div>
      <Simple {...props} schema={schema} />
      <Faults faults={props.faults} path={props.path} />
    </div>
  );
}

function useAbout({ description, description_ru: russian }: Schema): string {
  return (useLanguage() === "ru" ? russian : description) ?? "";
}

function Label({ schema, name, required }: { schema: Schema; name: string; required: boolean | undefined }) {
  const about = useAbout(schema);
  return (
    <span>
      <code>{name}</code> {required && <b aria-hidden="true">*</b>} {about}
    </span>
  );
}

function Faults({ faults, path }: { faults: readonly Fault[]; path: string }) {
  const own = faults.filter(({ field }) => field === path);
  if (own.length === 0) return null;
  return <p className={parts.void}>{own.map(({ text }) => text).join("; ")}</p>;
}

/** Show fields that belong together; an optional group is folded unless it has a value or a fault. */
function Group({ schema, path, name, required, ...rest }: PartProps) {
  const about = useAbout(schema);
  const isFaulty = rest.faults.some(({ field }) => field === path || field.startsWith(`${path}.`));
  return (
    <details className={styles.group} open={required || isFaulty || rest.value !== undefined}>
      <summary>
        <code>{name}</code> {about}
      </summary>
      <Faults faults={rest.faults} path={path} />
      <SchemaForm {...rest} schema={schema} path={path} />
    </details>
  );
}

/** Fields for a map whose keys the organizer chooses: sets, languages, nominations. */
function Named({ inner, schema, value, change, path, name, required, ...rest }: PartProps & { inner: Schema }) {
  const { t } = useLingui();
  const [fresh, setFresh] = useState("");
  const fields = (value ?? {}) as Value;
  const names = followed(rest.root, schema.propertyNames ?? {}).enum;
  const add = () => {
    if (fresh !== "" && !(fresh in fields)) change({ ...fields, [fresh]: emptyOf(followed(rest.root, inner)) });
    setFresh("");
  };
  return (
    <fieldset className={styles.group}>
      <legend>
        <Label schema={schema} name={name} required={required} />
      </legend>
      <Faults faults={rest.faults} path={path} />
      {Object.entries(fields).map(([key, part]) => (
        <Removable key={key} remove={() => change(withPart(fields, key, undefined))} what={key}>
          <Part
            {...rest}
            schema={inner}
            name={key}
            path={`${path}.${key}`}
            value={part}
            change={(changed) => change({ ...fields, [key]: changed ?? emptyOf(followed(rest.root, inner)) })}
            required
          />
        </Removable>
      ))}
      <div className={styles.add}>
        {names ? (
          <Choice
            label={t`New in ${name}`}
            value={fresh}
            change={setFresh}
            none="…"
            options={names.filter((key) => !(key in fields))}
          />
        ) : (
          <Field label={t`New in ${name}`} value={fresh} change={setFresh} maxLength={100} />
        )}
        <Button onPress={add} isDisabled={fresh === ""}>
          {t`Add`}
        </Button>
      </div>
    </fieldset>
  );
}

function Listed({ inner, schema, value, change, path, name, required, ...rest }: PartProps & { inner: Schema }) {
  const { t } = useLingui();
  const items = (value ?? []) as readonly unknown[];
  const put = (at: number, part: unknown) => change(items.map((other, place) => (place === at ? part : other)));
  return (
    <fieldset className={styles.group}>
      <legend>
        <Label schema={schema} name={name} required={required} />
      </legend>
      <Faults faults={rest.faults} path={path} />
      {items.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names
        <Removable key={at} remove={() => change(items.filter((_, place) => place !== at))} what={String(at + 1)}>
          <SchemaForm {...rest} schema={inner} path={path} value={part} change={(changed) => put(at, changed)} />
        </Removable>
      ))}
      {items.length < (schema.maxItems ?? Number.POSITIVE_INFINITY) && (
        <Button onPress={() => change([...items, {}])}>{t`Add`}</Button>
      )}
    </fieldset>
  );
}

function Removable({ remove, what, children }: { remove: () => void; what: string; children: ReactNode }) {
  const { t } = useLingui();
  return (
    <div className={styles.removable}>
      <div>{children}</div>
      <Button aria-label={t`Remove ${what}`} onPress={remove}>
        ✕
      </Button>
    </div>
  );
}

/** Field for a list of texts or numbers, one a line. */
function Lines({ schema, items, value, change, path, name, required, faults }: PartProps & { items: Schema }) {
  const of = (value ?? []) as readonly unknown[];
  const [text, setText] = useState(of.join("\n"));
  const isNumber = items.type === "integer" || items.type === "number";
  const read = (typed: string) => {
    setText(typed);
    const lines = typed.split("\n").map((line) => line.trim());
    const filled = lines.filter((line) => line !== "");
    change(filled.length === 0 ? undefined : filled.map((line) => (isNumber && line !== "" ? Number(line) : line)));
  };
  return (
    <div>
      <Field
        label={<Label schema={schema} name={name} required={required} />}
        rows={Math.min(8, Math.max(2, of.length))}
        value={text}
        change={read}
        placeholder={Array.isArray(schema.default) ? schema.default.join("\n") : undefined}
        aria-invalid={faults.some(({ field }) => field === path) || undefined}
      />
      <Faults faults={faults} path={path} />
    </div>
  );
}

/** Show the field of a choice, a number, a yes or no, or a text; empty stands for the contest's value. */
function Simple({ schema, value, change, path, name, required, faults }: PartProps) {
  const { t } = useLingui();
  const label = <Label schema={schema} name={name} required={required} />;
  const usual = schema.default === undefined || schema.default === null ? "" : String(schema.default);
  const text = value === undefined || value === null ? "" : String(value);
  const attributes = {
    label,
    placeholder: usual,
    "aria-invalid": faults.some(({ field }) => field === path) || undefined,
  };
  if (schema.enum || schema.type === "boolean") {
    const values = schema.enum ?? ["true", "false"];
    const words: Record<string, string> = schema.enum ? {} : { true: t`yes`, false: t`no` };
    return (
      <Choice
        label={label}
        value={text}
        change={(chosen) => change(schema.enum || chosen === "" ? chosen : chosen === "true")}
        none={usual === "" ? "…" : t`as usual: ${words[usual] ?? usual}`}
        options={values}
        named={(value) => words[value] ?? value}
      />
    );
  }
  if (schema.type === "integer" || schema.type === "number") {
    return (
      <Field
        {...attributes}
        type="number"
        value={text}
        change={(typed) => change(typed === "" ? undefined : Number(typed))}
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === "integer" ? 1 : "any"}
      />
    );
  }
  return (
    <Field
      {...attributes}
      value={typeof value === "object" && value !== null ? JSON.stringify(value) : text}
      change={(typed) => change(schema.type === "string" ? typed : jsonOr(typed))}
      maxLength={schema.maxLength}
      required={required}
    />
  );
}

/** Parse a value that has no form of its own: as JSON, or else as a text. */
function jsonOr(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

function emptyOf(schema: Schema): unknown {
  return schema.type === "array" ? [] : schema.type === "object" || schema.properties ? {} : "";
}
