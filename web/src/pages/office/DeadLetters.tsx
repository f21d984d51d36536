import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, queryClient } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { Button } from "@/ui/controls";
import { Confirmed, Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";

type Letter = Schemas["LetterEntry"];
type Queue = Letter["queue"];

const KEY = "/v1/dead-letters";
const PAGE = 50;

const QUEUES: Readonly<Record<Queue, MessageDescriptor>> = {
  scoring: msg`scoring`,
  settlement: msg`results of finals`,
  rescorings: msg`rescorings`,
  shadows: msg`independent recomputations`,
  audits: msg`verifications`,
  imports: msg`imports`,
  submissions: msg`submissions`,
  pushes: msg`pushes to programs`,
  relay: msg`relay of stored changes`,
  timers: msg`timers`,
};

function renewed() {
  return queryClient.invalidateQueries({ queryKey: [KEY] });
}

/** Jobs that failed for good, the oldest that waits first: send them again, or let them go. */
export function DeadLetters() {
  const { queue } = useSearch({ from: "/desk/operations" });
  const pages = useInfiniteQuery({
    queryKey: [KEY, queue ?? ""],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: PAGE,
        ...(isQueue(queue) ? { queue } : {}),
        ...(pageParam ? { after: pageParam } : {}),
      };
      return (await api.GET("/v1/dead-letters", { params: { query }, signal })).data as Schemas["LettersBody"];
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.after ?? undefined,
    refetchInterval: EVERY.idle,
  });
  return (
    <section aria-labelledby="letters-title">
      <h2 id="letters-title">
        <Trans>Dead letters</Trans>
      </h2>
      <Filter queue={queue} />
      <Answered of={pages}>
        {(told) => {
          // What was decided is listed no more; the oldest of the others stands first.
          const open = told.pages
            .flatMap((each) => each.letters)
            .toSorted((a, b) => a.first_at.localeCompare(b.first_at));
          return (
            <>
              {open.length === 0 && (
                <p className={parts.good}>
                  <Trans>✓ No failed job waits for a decision.</Trans>
                </p>
              )}
              <RedriveAll open={open} />
              <ul>
                {open.map((each) => (
                  <Line key={each.letter_id} letter={each} />
                ))}
              </ul>
              {pages.hasNextPage && (
                <Button isDisabled={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
                  <Trans>Show more</Trans>
                </Button>
              )}
            </>
          );
        }}
      </Answered>
    </section>
  );
}

function isQueue(name: string | undefined): name is Queue {
  return name !== undefined && name in QUEUES;
}

function Filter({ queue }: { queue: string | undefined }) {
  const { i18n } = useLingui();
  const navigate = useNavigate({ from: "/desk/operations" });
  return (
    <search className={parts.filters}>
      <label>
        <Trans>Queue</Trans>
        <select
          data-filter
          value={queue ?? ""}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            void navigate({ search: chosen ? { queue: chosen } : {}, replace: true, resetScroll: false });
          }}
        >
          <option value="">—</option>
          {Object.entries(QUEUES).map(([name, words]) => (
            <option key={name} value={name}>
              {i18n._(words)}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

/** Everything that is shown and waits, named one by one before it is sent. */
function RedriveAll({ open }: { open: readonly Letter[] }) {
  const { i18n } = useLingui();
  const decides = useMay("organize");
  if (!decides || open.length === 0) return null;
  return (
    <div className={parts.actions}>
      <Confirmed
        label={<Trans>Send all of these again</Trans>}
        asks={
          <>
            <Plural
              value={open.length}
              one="# job is sent again. Done twice, it does nothing more:"
              other="# jobs are sent again. Done twice, they do nothing more:"
            />
            {open.map((each) => (
              <span key={each.letter_id}>
                <br />
                {i18n._(QUEUES[each.queue])}: {aboutOf(each)}
              </span>
            ))}
          </>
        }
        act={() =>
          api.POST("/v1/dead-letters/redrive", { body: { letter_ids: open.map(({ letter_id }) => letter_id) } })
        }
        done={renewed}
      />
    </div>
  );
}

function aboutOf({ about, letter_id }: Letter): string {
  const said = Object.entries(about).map(([name, value]) => `${name} ${value}`);
  return said.length > 0 ? said.join(", ") : letter_id;
}

function Line({ letter }: { letter: Letter }) {
  const { i18n } = useLingui();
  const decides = useMay("organize");
  const [isOpen, setIsOpen] = useState(false);
  const { letter_id, tries } = letter;
  return (
    <li>
      <strong>{i18n._(QUEUES[letter.queue])}</strong> · {aboutOf(letter)}
      <br />
      <Trans>
        failed first <Moment at={letter.first_at} />, last <Moment at={letter.last_at} />, tries: {tries}
      </Trans>
      <br />
      <code>{letter.error}</code>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <Trans>The job as it was sent</Trans>
        </summary>
        {isOpen && <Body letterId={letter_id} />}
      </details>
      {decides && (
        <div className={parts.actions}>
          <Confirmed
            label={<Trans>Send again</Trans>}
            asks={
              <Trans>The job is sent once more. Done twice, it does nothing more; what fails again comes back.</Trans>
            }
            act={() => api.POST("/v1/dead-letters/redrive", { body: { letter_ids: [letter_id] } })}
            done={renewed}
          />
          <Reasoned
            label={<Trans>Drop</Trans>}
            asks={<Trans>Let the job go? It is not done again; a job that fails anew comes back.</Trans>}
            act={(why) =>
              api.POST("/v1/dead-letters/{letter_id}/drop", { params: { path: { letter_id } }, body: { reason: why } })
            }
            done={renewed}
          />
        </div>
      )}
    </li>
  );
}

function Body({ letterId }: { letterId: string }) {
  const found = useQuery(get("/v1/dead-letters/{letter_id}", { params: { path: { letter_id: letterId } } }));
  return <Answered of={found}>{(letter) => <pre>{letter.body}</pre>}</Answered>;
}
