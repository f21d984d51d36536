import { readFileSync } from "node:fs";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { LONGEST_REASON, useAction } from "./forms";

const DOCUMENT = new URL("../../../layers/contest/src/contest/openapi.json", import.meta.url);

interface Schema {
  $ref?: string;
  maxLength?: number;
  properties?: Record<string, Schema>;
}

test("a reason may be as long as the interface takes it, whatever is decided", () => {
  const { components } = JSON.parse(readFileSync(DOCUMENT, "utf8")) as {
    components: { schemas: Record<string, Schema> };
  };
  const longestOf = ({ $ref, maxLength }: Schema) =>
    $ref ? components.schemas[$ref.replace("#/components/schemas/", "")]?.maxLength : maxLength;
  const fields = Object.entries(components.schemas).flatMap(([name, { properties }]) =>
    name.endsWith("Request") && properties?.reason ? [[name, longestOf(properties.reason)]] : [],
  );
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter(([, longest]) => longest !== LONGEST_REASON)).toEqual([]);
});

type Action = ReturnType<typeof useAction<number, number>>;

function Caller({ of, take }: { of: Parameters<typeof useAction<number, number>>; take: (action: Action) => void }) {
  take(useAction(...of));
  return null;
}

/** Return the action that useAction gives to a page. */
function actionOf(client: QueryClient, ...of: Parameters<typeof useAction<number, number>>): Action {
  const actions: Action[] = [];
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <Caller of={of} take={(action) => actions.push(action)} />
    </QueryClientProvider>,
  );
  return actions[0] as Action;
}

test("an action sends what it gets, and is pending until what comes after it has ended", async () => {
  const client = new QueryClient();
  let end = () => {};
  const after = new Promise<void>((resolve) => {
    end = resolve;
  });
  const calls: number[][] = [];
  const action = actionOf(
    client,
    async (input) => input + 1,
    (result, input) => {
      calls.push([result, input]);
      return after;
    },
  );
  expect(action.problem).toBe(null);
  const sent = action.mutateAsync(1);
  await vi.waitFor(() => expect(calls).toEqual([[2, 1]]));
  await new Promise((resolve) => setTimeout(resolve));
  expect(client.isMutating()).toBe(1);
  end();
  expect(await sent).toBe(2);
  expect(client.isMutating()).toBe(0);
});

test("a refused action does nothing more; a secret answer is forgotten with its page", async () => {
  const client = new QueryClient();
  const steps: unknown[] = [];
  const refuse = () => Promise.reject<number>(new Error("no"));
  const onError = (error: Error) => steps.push(error.message);
  const done = () => steps.push("done");
  await expect(actionOf(client, refuse, done, { onError, gcTime: 0 }).mutateAsync(1)).rejects.toThrow("no");
  expect(steps).toEqual(["no"]);
  expect(client.getMutationCache().getAll()[0]?.options.gcTime).toBe(0);
});
