import { Trans, useLingui } from "@lingui/react/macro";
import { Moment } from "@/ui/moments";
import { causeWord } from "./words";

type Told = Readonly<Record<string, unknown>>;

/** What the platform recorded as the proof of a void's cause, in words; a fact that has none is shown as it is. */
export function Evidence({ of }: { of: Told }) {
  return Object.entries(of).map(([name, value], at) => (
    <span key={name}>
      {at > 0 && "; "}
      <Fact name={name} value={value} />
    </span>
  ));
}

function Fact({ name, value }: { name: string; value: unknown }) {
  const at = typeof value === "string" ? <Moment at={value} /> : null;
  const seconds = typeof value === "number" ? value / 1000 : 0;
  const told = String(value);
  switch (name) {
    case "requested":
      return <Trans>the program never asked for the file</Trans>;
    case "answered":
      return <Trans>no answer came in time</Trans>;
    case "late_by_ms":
      return <Trans>the answer came {seconds} s after the deadline</Trans>;
    case "requested_late_by_ms":
      return <Trans>the file was asked for {seconds} s too late</Trans>;
    case "refusals":
      return <Trans>answers refused: {told}</Trans>;
    case "last":
      return (
        <Trans>
          the last one because of <code>{told}</code>
        </Trans>
      );
    case "arrived_at":
      return <Trans>a valid answer arrived at {at} and was not decided on</Trans>;
    case "asked_at":
      return <Trans>the file was asked for at {at} and not handed out</Trans>;
    case "aborted_at":
      return <Trans>the team ended the session at {at}</Trans>;
    case "joined_at":
      return <Trans>the program joined at {at}</Trans>;
    case "disconnected_at":
      return <Trans>the connection was lost at {at}</Trans>;
    case "pushed":
      return <Trans>the program was there and nothing was pushed to it</Trans>;
    case "amendment":
      return <Trans>decision {told} of the run</Trans>;
    case "automatic":
      return <Automatic of={value as { cause: string | null; evidence: Told }} />;
    default:
      return (
        <code>
          {name}: {JSON.stringify(value)}
        </code>
      );
  }
}

/** What the platform had found by itself before people decided. */
function Automatic({ of }: { of: { cause: string | null; evidence: Told } }) {
  const { i18n } = useLingui();
  const cause = of.cause ? i18n._(causeWord(of.cause)) : "—";
  return (
    <Trans>
      found automatically: {cause} (<Evidence of={of.evidence} />)
    </Trans>
  );
}
