import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useGroupName, useLanguage } from "@/ui/contest";
import { Choice, Field, Reasoned } from "@/ui/forms";
import parts from "@/ui/parts.module.css";
import styles from "./coordination.module.css";
import { EXPERTS, type Given, renewed, useNames } from "./data";

const LONGEST_MIN = 7 * 24 * 60;

interface Refused {
  of: Given;
  error: ApiError;
}

/** What is done with all chosen rows together; each that is refused is named with the platform's reason. */
export function Assigning({ rows, done }: { rows: readonly Given[]; done: () => void }) {
  const { t } = useLingui();
  const [to, setTo] = useState("");
  const [minutes, setMinutes] = useState("30");
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const experts = useQuery(EXPERTS).data?.experts ?? [];
  const nameOf = useNames();
  const titleOf = useGroupName();
  const language = useLanguage();
  const each = async (act: (of: Given) => Promise<unknown>) => {
    const found: Refused[] = [];
    // One after the other: two of them may be of one essay.
    for (const of of rows) {
      try {
        await act(of);
      } catch (error) {
        if (!(error instanceof ApiError) || error.passing) throw error;
        found.push({ of, error });
      }
    }
    setRefused(found);
  };
  const place = (of: Given) => ({ path: { expert_id: of.expert_id, assignment_id: of.assignment_id } });
  const path = "/v1/experts/{expert_id}/assignments/{assignment_id}" as const;
  const after = async () => {
    done();
    await renewed();
  };
  const count = rows.length;
  return (
    <>
      {refused.length > 0 && (
        <div role="alert">
          <p className={parts.void}>
            <Plural value={refused.length} one="# was refused:" other="# were refused:" />
          </p>
          <ul>
            {refused.map(({ of, error }) => (
              <li key={of.assignment_id}>
                {nameOf(of.expert_id)}: {error.said?.[language] ?? error.message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={styles.bar} role="toolbar" aria-label={t`What to do with the chosen rows`}>
        <span role="status">
          <Plural value={count} one="# row chosen" other="# rows chosen" />
        </span>
        {count > 0 && (
          <>
            <Reasoned
              label={<Trans>Assign to…</Trans>}
              asks={<Trans>Give what is chosen to another expert? Rows: {count}. What was saved is kept.</Trans>}
              act={(reason) =>
                each((of) => api.POST(`${path}/reassign`, { params: place(of), body: { reason, ...(to && { to }) } }))
              }
              done={after}
            >
              <Choice
                label={t`To whom`}
                value={to}
                change={setTo}
                options={[
                  ["", t`the least loaded who may`],
                  ...experts
                    .filter(({ active }) => active)
                    .map((expert) => {
                      const subjects = expert.subjects.map(titleOf).join(", ");
                      return [expert.expert_id, `${expert.pseudonym} (${subjects})`] as const;
                    }),
                ]}
              />
            </Reasoned>
            <Reasoned
              label={<Trans>More time…</Trans>}
              asks={<Trans>Give more time for what is chosen? Rows: {count}.</Trans>}
              act={(reason) =>
                each((of) =>
                  api.POST(`${path}/extend`, { params: place(of), body: { reason, seconds: Number(minutes) * 60 } }),
                )
              }
              done={after}
            >
              <Field
                label={t`Minutes`}
                type="number"
                required
                min={1}
                max={LONGEST_MIN}
                value={minutes}
                change={setMinutes}
              />
            </Reasoned>
            <Reasoned
              label={<Trans>Take back…</Trans>}
              asks={
                <Trans>
                  Take back what is chosen? Rows: {count}. Nobody has them until they are given out again; what was
                  saved is kept.
                </Trans>
              }
              act={(reason) => each((of) => api.POST(`${path}/release`, { params: place(of), body: { reason } }))}
              done={after}
            />
          </>
        )}
      </div>
    </>
  );
}
