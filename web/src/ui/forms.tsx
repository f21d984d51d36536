import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  type FormHTMLAttributes,
  type InputHTMLAttributes,
  isValidElement,
  type ReactNode,
  useId,
  useRef,
  useState,
} from "react";
import { renewed } from "@/api/client";
import { type Cited, Clause, useCited, useCycleZone, useLanguage } from "./contest";
import { Button, save } from "./controls";
import { Moment, Problem } from "./Page";
import parts from "./parts.module.css";
import { typed, typedMoment } from "./time";

/**
 * A request that changes something: `mutate` sends it, `problem` is the message about its refusal, if it was refused.
 *
 * `done` runs after success, and the request is pending until it has ended; `gcTime: 0` forgets an answer that is a
 * secret together with the page that shows it.
 */
export function useAction<Result, Input = void>(
  act: (input: Input) => Promise<Result>,
  done?: (result: Result, input: Input) => unknown,
  more?: Pick<UseMutationOptions<Result, Error, Input>, "onSettled" | "onError" | "gcTime">,
) {
  const action = useMutation<Result, Error, Input>({
    ...more,
    mutationFn: act,
    onSuccess: (result, input) => done?.(result, input),
  });
  return { ...action, problem: action.error && <Problem error={action.error} /> };
}

/**
 * Return a form's values, the binding of a field by the name of its value, and a setter of some values. `changed` runs
 * after each change: a preview of earlier values is out of date.
 */
export function useDraft<Draft extends object>(initial: Draft | (() => Draft), changed?: () => void) {
  const [draft, setDraft] = useState(initial);
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    changed?.();
  };
  const bind = <Name extends keyof Draft>(name: Name) => ({
    value: draft[name],
    change: (value: Draft[Name]) => change({ [name]: value } as unknown as Partial<Draft>),
  });
  return { draft, bind, change };
}

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> {
  /** Request that the form sends; its refusal is shown above the fields. */
  of?: { mutate: () => void; isPending: boolean; isSuccess: boolean; problem: ReactNode };
  /** Called instead of the request when the form is sent; gets the value of the sending button, if it has one. */
  submit?: (button: string | null) => unknown;
  problem?: ReactNode;
  /** Label of the button that sends the request; without it the fields bring a button. */
  send?: ReactNode;
  primary?: boolean;
  /** True while the form is not ready to be sent. */
  isEmpty?: boolean;
  /** Buttons beside the sending one. */
  beside?: ReactNode;
  /** Message after success. */
  sent?: ReactNode;
}

/** Form that is sent by a script without leaving the page. */
export function Form(props: FormProps) {
  const {
    of,
    submit = of?.mutate,
    problem = of?.problem,
    send,
    primary = false,
    isEmpty,
    beside,
    sent,
    ...rest
  } = props;
  const { children, ...own } = rest;
  return (
    <form
      {...own}
      onSubmit={(event) => {
        event.preventDefault();
        submit?.((event.nativeEvent as SubmitEvent).submitter?.getAttribute("value") ?? null);
      }}
    >
      {problem}
      {children}
      {of && send && (
        <div className={parts.actions}>
          <Button primary={primary} type="submit" isDisabled={of.isPending || isEmpty === true}>
            {send}
          </Button>
          {beside}
        </div>
      )}
      {of && sent && <Done>{of.isSuccess && sent}</Done>}
    </form>
  );
}

/** Message about a success, which screen readers read aloud. */
export function Done({ children }: { children: ReactNode }) {
  return (
    <p role="status" className={parts.good}>
      {children}
    </p>
  );
}

interface SubmitProps {
  /** Request that the form sends; while it is pending the button is disabled. */
  of: { isPending: boolean };
  primary?: boolean;
  children: ReactNode;
}

/** Button that sends its form. */
export function Submit({ of, ...rest }: SubmitProps) {
  return <Button type="submit" isDisabled={of.isPending} {...rest} />;
}

/** Button that sends its request by itself. */
export function Act({ of, ...rest }: SubmitProps & { of: { mutate: () => void } }) {
  return <Button isDisabled={of.isPending} onPress={() => of.mutate()} {...rest} />;
}

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement & HTMLTextAreaElement>, "onChange"> {
  label: ReactNode;
  change: (value: string) => void;
  /** Height of a text field in lines; without it the field is a single-line input. */
  rows?: number;
  /** The label's class; among filters it has none. */
  look?: string | null | undefined;
}

/** Field under its label; its children come after the input. */
export function Field({ label, change, look = parts.field ?? null, rows, children, ...rest }: FieldProps) {
  const handlers = {
    ...rest,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: whichever of the two stands within it
    <label className={look ?? undefined}>
      {label}
      {rows === undefined ? <input {...handlers} /> : <textarea rows={rows} {...handlers} />}
      {children}
    </label>
  );
}

/** Texts that the browser offers for the field whose `list` is this id. */
export function Offers({ id, of }: { id: string; of: readonly string[] }) {
  return (
    <datalist id={id}>
      {of.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

interface TwoTexts {
  readonly ru: string;
  readonly en: string;
}

interface BothProps extends Omit<FieldProps, "label" | "value" | "change" | "lang"> {
  labels: Readonly<Record<keyof TwoTexts, ReactNode>>;
  value: TwoTexts;
  change: (texts: TwoTexts) => void;
}

/** Text in both languages, with a long field for each. */
export function InBoth({ labels, value, change, ...rest }: BothProps) {
  return (["ru", "en"] as const).map((language) => (
    <Field
      key={language}
      look={`${parts.field} ${parts.long}`}
      {...rest}
      label={labels[language]}
      lang={language}
      value={value[language]}
      change={(text) => change({ ...value, [language]: text })}
    />
  ));
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  label: ReactNode;
  /** True if the box is ticked. */
  value: boolean;
  change: (checked: boolean) => void;
  look?: string | undefined;
}

/** Checkbox before its label. */
export function Check({ label, value, change, look, ...rest }: CheckProps) {
  const toggle = (event: { currentTarget: { checked: boolean } }) => change(event.currentTarget.checked);
  return (
    <label className={look}>
      <input type="checkbox" {...rest} checked={value} onChange={toggle} /> {label}
    </label>
  );
}

type Name = ReactNode | MessageDescriptor;

/** Values in their order, each with its name or alone; a value alone is named by `named`, else by itself. */
interface Options<Value extends string> {
  options: readonly (Value | readonly [Value, Name])[] | Readonly<Record<Exclude<Value, "">, Name>>;
  named?: (value: Value) => Name;
}

/** Return each value with its name in the reader's language. */
function useNamed<Value extends string>({ options, named = (value) => value }: Options<Value>) {
  const { i18n } = useLingui();
  const isMessage = (name: Name): name is MessageDescriptor =>
    typeof name === "object" && name !== null && "id" in name && !isValidElement(name);
  const entries = (Array.isArray(options) ? options : Object.entries(options)) as (Value | readonly [Value, Name])[];
  return entries.map((entry) => {
    const [value, name] = typeof entry === "string" ? [entry, named(entry)] : entry;
    return [value, isMessage(name) ? i18n._(name) : name] as const;
  });
}

interface ChecksProps<Value extends string> extends Options<Value> {
  legend: ReactNode;
  chosen: readonly Value[];
  /** Receives the chosen values after a box was ticked or cleared. */
  change: (chosen: Value[]) => void;
  /** The class of the whole, and of each label. */
  className?: string | undefined;
  look?: string | undefined;
}

/** Checkboxes, one for each value. */
export function Checks<Value extends string>({ legend, chosen, change, className, look, ...rest }: ChecksProps<Value>) {
  const without = (value: Value) => chosen.filter((other) => other !== value);
  return (
    <fieldset className={className}>
      <legend>{legend}</legend>
      {useNamed(rest).map(([value, name]) => (
        <Check
          key={value}
          look={look}
          label={name}
          value={chosen.includes(value)}
          change={(checked) => change(checked ? [...chosen, value] : without(value))}
        />
      ))}
    </fieldset>
  );
}

/** Binds filters to texts of the page's address, each by its name; an empty text leaves the address. */
export function useFilter<Search extends object>(search: Search) {
  const navigate = useNavigate();
  return (name: keyof Search) => ({
    value: String(search[name] ?? ""),
    change: (value: string) => {
      const { [name]: _, ...rest } = search;
      const changed = value ? { ...rest, [name]: value } : rest;
      void navigate({ to: ".", search: changed as never, replace: true, resetScroll: false });
    },
  });
}

/** A row of filters. */
export function FilterBar({ children }: { children: ReactNode }) {
  return <search className={parts.filters}>{children}</search>;
}

interface FilterFieldProps {
  label: ReactNode;
  value: string | undefined;
  change: (value: string) => void;
  "data-filter"?: boolean;
}

/** Text field among filters: it takes effect when Enter is pressed or the cursor leaves it. */
export function FilterField({ label, value = "", change, ...rest }: FilterFieldProps) {
  return (
    <label>
      {label}
      <input
        {...rest}
        key={value}
        defaultValue={value}
        onBlur={({ currentTarget }) => change(currentTarget.value.trim())}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
      />
    </label>
  );
}

interface MomentFieldProps {
  label: ReactNode;
  /** Moment in the API's format; empty for none. */
  value: string;
  /** Receives an empty text while the typed text is no moment. */
  change: (value: string) => void;
  required?: boolean;
}

/** Field for a day and a time by the cycle's clock, in the page's own language; the reader's time is shown below. */
export function MomentField({ label, value, change, required = false }: MomentFieldProps) {
  const { t } = useLingui();
  const zone = useCycleZone();
  const [text, setText] = useState(() => (value ? typed(Date.parse(value), zone) : ""));
  const example = useLanguage() === "ru" ? "31.12.2026 14:05" : "2026-12-31 14:05";
  const refusal = (text: string) =>
    text && typedMoment(text, zone) === null ? t`Write a day and a time of that day, as ${example}` : "";
  return (
    <Field
      label={
        <span>
          {label} <Trans>(the contest's time, {zone})</Trans>
        </span>
      }
      placeholder={example}
      autoComplete="off"
      required={required}
      aria-invalid={refusal(text) !== "" || undefined}
      value={text}
      onInput={({ currentTarget }) => currentTarget.setCustomValidity(refusal(currentTarget.value))}
      change={(text) => {
        setText(text);
        const at = typedMoment(text, zone);
        change(at === null ? "" : new Date(at).toISOString());
      }}
    >
      <small role="status">{value ? <Moment at={value} /> : refusal(text)}</small>
    </Field>
  );
}

interface ChoiceProps<Value extends string>
  extends Options<Value>,
    Pick<FieldProps, "label" | "look" | "disabled" | "required"> {
  value: Value;
  change: (value: Value) => void;
  /** The name of the empty value, which stands first. */
  none?: ReactNode;
  "data-filter"?: boolean;
}

/** Choice of one value, under its label. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, change, options, named, none, look, ...rest } = props;
  return (
    <label className={look === undefined ? parts.field : (look ?? undefined)}>
      {label}
      <select {...rest} onChange={({ currentTarget }) => change(currentTarget.value as Value)}>
        {none !== undefined && <option value="">{none}</option>}
        {useNamed(props).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Choice among filters: its empty value, the first, stands for all. */
export function FilterChoice<Value extends string>(props: Omit<ChoiceProps<Value>, "none">) {
  return <Choice {...props} none={<Trans>all</Trans>} />;
}

/** Longest reason that the API accepts, in characters (`Why` of its document); a test compares the two. */
export const LONGEST_REASON = 4000;

/** Field for the reason of a decision; without a reason nothing is sent. */
export function ReasonField(of: Pick<FieldProps, "label" | "change"> & { value: string }) {
  return <Field required rows={3} maxLength={LONGEST_REASON} {...of} />;
}

interface ConfirmedProps {
  label: ReactNode;
  /** Description of the action's effect, shown before the action. */
  asks: ReactNode;
  act: () => Promise<unknown>;
  /** Called after success; by default all data on the page are fetched anew. */
  done?: () => unknown;
}

/** Button that shows the effect of its action and asks for confirmation first. */
export function Confirmed({ label, asks, act, done = renewed }: ConfirmedProps) {
  const { t } = useLingui();
  const { dialog, open, close, acting } = useDialog(act, done);
  const title = useId();
  return (
    <>
      <Button onPress={open}>{label}</Button>
      <dialog ref={dialog} className={parts.dialog} aria-labelledby={title} onClose={() => acting.reset()}>
        <p id={title}>{asks}</p>
        {acting.problem}
        <div className={parts.actions}>
          <Act primary of={acting}>
            {label}
          </Act>
          <Button onPress={close}>{t`Cancel`}</Button>
        </div>
      </dialog>
    </>
  );
}

interface ReasonedProps extends Omit<ConfirmedProps, "act"> {
  /** The clause by which it is decided. */
  clause?: Cited | undefined;
  act: (reason: string) => Promise<unknown>;
  primary?: boolean;
  /** Further fields chosen with the decision. */
  children?: ReactNode;
}

/** Button for a decision stored with its reason: its dialog shows the effect first, and a refusal if there is one. */
export function Reasoned({ label, asks, clause, act, done = renewed, primary = false, children }: ReasonedProps) {
  const { t } = useLingui();
  const title = useId();
  const cited = useId();
  const by = useCited(clause);
  const [reason, setReason] = useState("");
  const { dialog, open, close, acting } = useDialog(
    () => act(reason.trim()),
    () => {
      setReason("");
      return done();
    },
  );
  return (
    <>
      <Button primary={primary} onPress={open}>
        {label}
      </Button>
      <dialog
        ref={dialog}
        className={parts.dialog}
        aria-labelledby={title}
        aria-describedby={by && cited}
        onClose={() => acting.reset()}
      >
        <Form submit={() => acting.mutate()}>
          <p id={title}>{asks}</p>
          {by && <Clause clause={by} id={cited} />}
          {acting.problem}
          {children}
          <ReasonField label={t`Reason (it is stored)`} value={reason} change={setReason} />
          <div className={parts.actions}>
            <Button primary type="submit" isDisabled={acting.isPending || reason.trim() === ""}>
              {label}
            </Button>
            <Button onPress={close}>{t`Cancel`}</Button>
          </div>
        </Form>
      </dialog>
    </>
  );
}

/** Open a dialog with the focus in its first input field; without a field the browser's first button has the focus. */
export function openDialog(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.querySelector<HTMLElement>("textarea, input:not([type=checkbox], [type=radio], [type=file]), select")?.focus();
}

/** Return a modal dialog that its action closes after success. */
function useDialog<Result>(act: () => Promise<Result>, done: (result: Result) => unknown) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  const acting = useAction(act, (result) => {
    close();
    return done(result);
  });
  return { dialog, open: () => dialog.current && openDialog(dialog.current), close, acting };
}

interface DownloadsProps {
  title: ReactNode;
  /** Name of each file, without its ending. */
  name: string;
  /** Each format, the request for the file, and its ending if it differs from the format. */
  of: readonly (readonly [form: string, ask: () => Promise<Blob>, ending?: string])[];
}

/** Buttons that save the page's data as files, in several formats. */
export function Downloads({ title, name, of }: DownloadsProps) {
  const { t } = useLingui();
  const making = useAction(async ({ ask, file }: { ask: () => Promise<Blob>; file: string }) =>
    save(await ask(), file),
  );
  return (
    <>
      {making.problem}
      <fieldset className={parts.downloads} disabled={making.isPending}>
        <legend>{title}</legend>
        {of.map(([form, ask, ending = form.toLowerCase()]) => (
          <Button
            key={form}
            aria-label={t`Download ${form}`}
            onPress={() => making.mutate({ ask, file: `${name}.${ending}` })}
          >
            {form}
          </Button>
        ))}
      </fieldset>
    </>
  );
}
