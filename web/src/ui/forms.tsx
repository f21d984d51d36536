import { Trans, useLingui } from "@lingui/react/macro";
import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormHTMLAttributes, type InputHTMLAttributes, type ReactNode, useId, useRef, useState } from "react";
import { type Cited, Clause, useCited, useCycleZone, useLanguage } from "./contest";
import { Button, save } from "./controls";
import { Moment } from "./moments";
import { Problem } from "./Page";
import parts from "./parts.module.css";
import { typed, typedMoment } from "./time";

/**
 * A request that changes something: `mutate` sends it, `problem` is its refusal to be shown, if it was refused.
 *
 * `done` comes after success, and the request is pending until it has ended; `gcTime: 0` forgets an answer that is a
 * secret with the page that shows it.
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

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> {
  /** Gets the value of the button that sent the form, if it has one. */
  submit: (button: string | null) => unknown;
  /** A refusal; it stands above the fields. */
  problem?: ReactNode;
}

/** A form that the page sends by itself. */
export function Form({ submit, problem, children, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        submit((event.nativeEvent as SubmitEvent).submitter?.getAttribute("value") ?? null);
      }}
    >
      {problem}
      {children}
    </form>
  );
}

interface SubmitProps {
  /** The request that the form sends; while it is pending the button is disabled. */
  of: { isPending: boolean };
  primary?: boolean;
  children: ReactNode;
}

/** The button that sends its form. */
export function Submit({ of, ...rest }: SubmitProps) {
  return <Button type="submit" isDisabled={of.isPending} {...rest} />;
}

/** A button that sends its request by itself. */
export function Act({ of, ...rest }: SubmitProps & { of: { mutate: () => void } }) {
  return <Button isDisabled={of.isPending} onPress={() => of.mutate()} {...rest} />;
}

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement & HTMLTextAreaElement>, "onChange"> {
  label: ReactNode;
  change: (value: string) => void;
  /** Lines of a text; without it the field is one line. */
  rows?: number;
  /** The label's class; among filters it has none. */
  look?: string | null | undefined;
}

/** A field under its label; what stands within it comes after the input. */
export function Field({ label, change, look = parts.field ?? null, rows, children, ...rest }: FieldProps) {
  const taken = {
    ...rest,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: whichever of the two stands within it
    <label className={look ?? undefined}>
      {label}
      {rows === undefined ? <input {...taken} /> : <textarea rows={rows} {...taken} />}
      {children}
    </label>
  );
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: ReactNode;
  change: (checked: boolean) => void;
  /** The label's class. */
  look?: string | undefined;
}

/** A box to tick before its words. */
export function Check({ label, change, look, ...rest }: CheckProps) {
  return (
    <label className={look}>
      <input type="checkbox" {...rest} onChange={({ currentTarget }) => change(currentTarget.checked)} /> {label}
    </label>
  );
}

/** The values with one more, or without it where they have it. */
export function toggled<Value>(chosen: readonly Value[], value: Value): Value[] {
  return chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
}

/** Gives one text of the page's address another value; an empty one is left out. */
export function useFilter<Search extends object>(search: Search): (name: keyof Search, value: string) => void {
  const navigate = useNavigate();
  return (name, value) => {
    const { [name]: _, ...rest } = search;
    const changed = value ? { ...rest, [name]: value } : rest;
    void navigate({ to: ".", search: changed as never, replace: true, resetScroll: false });
  };
}

interface FilterFieldProps {
  label: ReactNode;
  value: string | undefined;
  change: (value: string) => void;
  "data-filter"?: boolean;
}

/** A text among filters: it counts when Enter is pressed or the cursor leaves it. */
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
  /** As the interface has it; empty for none. */
  value: string;
  /** Gets an empty text while what is typed is no moment. */
  change: (value: string) => void;
  required?: boolean;
}

/** A day and a time by the cycle's clock, in one field of the page's own language; the reader's time stands below. */
export function MomentField({ label, value, change, required = false }: MomentFieldProps) {
  const { t } = useLingui();
  const zone = useCycleZone();
  const [text, setText] = useState(() => (value ? typed(Date.parse(value), zone) : ""));
  const example = useLanguage() === "ru" ? "31.12.2026 14:05" : "2026-12-31 14:05";
  const refusal = (said: string) =>
    said && typedMoment(said, zone) === null ? t`Write a day and a time of that day, as ${example}` : "";
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
      change={(said) => {
        setText(said);
        const at = typedMoment(said, zone);
        change(at === null ? "" : new Date(at).toISOString());
      }}
    >
      <small role="status">{value ? <Moment at={value} /> : refusal(text)}</small>
    </Field>
  );
}

interface ChoiceProps<Value extends string> extends Pick<FieldProps, "label" | "look" | "disabled" | "required"> {
  value: Value;
  change: (value: Value) => void;
  /** Each value with its name. */
  options: readonly (readonly [Value, ReactNode])[];
  "data-filter"?: boolean;
}

/** A choice of one value under its label. */
export function Choice<Value extends string>({
  label,
  change,
  options,
  look = parts.field ?? null,
  ...rest
}: ChoiceProps<Value>) {
  return (
    <label className={look ?? undefined}>
      {label}
      <select {...rest} onChange={({ currentTarget }) => change(currentTarget.value as Value)}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the interface takes (`Why` of its document); a test compares the two. */
export const LONGEST_REASON = 4000;

/** Why somebody decides something; without it nothing is sent. */
export function ReasonField(of: Pick<FieldProps, "label" | "change"> & { value: string }) {
  return <Field required rows={3} maxLength={LONGEST_REASON} {...of} />;
}

interface ConfirmedProps {
  label: ReactNode;
  /** What will happen, before it does. */
  asks: ReactNode;
  act: () => Promise<unknown>;
  done: () => unknown;
}

/** A button whose effect is said before it is had. */
export function Confirmed({ label, asks, act, done }: ConfirmedProps) {
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
  /** What else is chosen with it. */
  children?: ReactNode;
}

/** A decision that is kept with its reason: what it does is said first, and it is refused in the place where it was made. */
export function Reasoned({ label, asks, clause, act, done, primary = false, children }: ReasonedProps) {
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
          {by && <Clause of={by} id={cited} />}
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

/** Opens a dialog with the cursor where one types; without a field the browser's first button has it. */
export function openDialog(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.querySelector<HTMLElement>("textarea, input:not([type=checkbox], [type=radio], [type=file]), select")?.focus();
}

/** A modal dialog that an action closes when it has succeeded. */
function useDialog<Result>(act: () => Promise<Result>, done: (result: Result) => unknown) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  const acting = useAction(act, (result) => {
    close();
    return done(result);
  });
  return { dialog, open: () => dialog.current && openDialog(dialog.current), close, acting };
}

/** A file to keep; the platform writes it when it is asked for. */
interface Download {
  form: string;
  name: string;
  /** The interface's answer, asked for as a blob. */
  ask: () => Promise<{ data?: unknown }>;
}

/** What can be kept of what is shown, in its forms. */
export function Downloads({ title, of }: { title: ReactNode; of: readonly Download[] }) {
  const { t } = useLingui();
  const making = useAction(async ({ ask, name }: Download) => save((await ask()).data as Blob, name));
  return (
    <>
      {making.problem}
      <fieldset className={parts.downloads} disabled={making.isPending}>
        <legend>{title}</legend>
        {of.map((each) => (
          <Button key={each.form} aria-label={t`Download ${each.form}`} onPress={() => making.mutate(each)}>
            {each.form}
          </Button>
        ))}
      </fieldset>
    </>
  );
}
