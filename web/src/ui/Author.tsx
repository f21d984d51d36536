import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/queries";
import { useMay, useMe } from "@/auth/hooks";

const PERSON = "person:";
const COMMAND = "command:";

interface AuthorProps {
  of: string;
  /** What the platform calls the person, where it says so. */
  name?: string | null;
}

/** Who did something: a name where one may know it, an operator who went past the sign-in, or the platform's own sign. */
export function Author({ of, name }: AuthorProps) {
  const me = useMe();
  const reads = useMay("inspect_submissions");
  const staff = useQuery({ ...get("/v1/staff", {}), enabled: reads && !name, staleTime: 60_000 });
  const person = of.startsWith(PERSON) ? of.slice(PERSON.length) : of;
  const known = staff.data?.staff.find((each) => each.person_id === person || each.person_id === of);
  if (of.startsWith(COMMAND)) return <Trans>the operator {of.slice(COMMAND.length)} by command</Trans>;
  if (me?.person_id === person || me?.person_id === of) return <Trans>you</Trans>;
  const called = name ?? known?.name;
  return called ?? <code>{person.split("-")[0]}</code>;
}
