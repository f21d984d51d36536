import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { inLanguage, useBoards, useLanguage, useUnit } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { inUnit } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { day } from "@/ui/time";
import { Wide } from "@/ui/Wide";
import { CAUSES, KINDS, type Line, STATES } from "./words";

interface SubmissionTableProps {
  of: readonly Line[];
  link: (submissionId: string) => ReactNode;
  /** Of everybody's: how a team is called. */
  team?: (teamId: string) => ReactNode;
}

/** Submissions, one a row. */
export function SubmissionTable({ of, link, team }: SubmissionTableProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const main = useBoards().data?.boards[0];
  const value = main ? inLanguage(main.title, language) : t`Result`;
  return (
    <Wide label={t`Table of submissions`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Submission</Trans>
          </th>
          {team && (
            <th scope="col">
              <Trans>Team</Trans>
            </th>
          )}
          <th scope="col">
            <Trans>State</Trans>
          </th>
          <th scope="col">{value}</th>
          <th scope="col">
            <Trans>What</Trans>
          </th>
          <th scope="col">
            <Trans>Set</Trans>
          </th>
          <th scope="col">
            <Trans>Handed in</Trans>
          </th>
          <th scope="col">
            <Trans>Counts for</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map((each) => (
          <tr key={each.submission_id}>
            <th scope="row">{link(each.submission_id)}</th>
            {team && <td>{team(each.team_id)}</td>}
            <td>
              <StateOf of={each} />
              {each.named && (
                <>
                  {" · "}
                  <Trans>named for the private test</Trans>
                </>
              )}
            </td>
            <td className={parts.number}>{inUnit(each.value, unit, language)}</td>
            <td>
              {i18n._(KINDS[each.kind])}
              {each.groups.length > 0 && ` · ${each.groups.join(", ")}`}
            </td>
            <td>{each.set}</td>
            <td>{each.completed_at ? <Moment at={each.completed_at} /> : "—"}</td>
            <td>{each.day ? day(each.day, language) : "—"}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={team ? 8 : 7}>
            <Plural value={of.length} one="# submission" other="# submissions" />
          </td>
        </tr>
      </tfoot>
    </Wide>
  );
}

/** A state in words; of a failed one the cause. */
export function StateOf({ of }: { of: Pick<Line, "state" | "cause"> }) {
  const { i18n } = useLingui();
  const word = i18n._(STATES[of.state]);
  const mark = of.state === "scored" ? parts.good : ["refused", "failed"].includes(of.state) ? parts.void : undefined;
  return (
    <span className={mark}>
      {of.state === "scored" ? "✓ " : mark ? "✕ " : ""}
      {word}
      {of.cause && `: ${i18n._(CAUSES[of.cause].word)}`}
    </span>
  );
}
