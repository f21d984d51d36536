import { api, type Schemas } from "@/api/client";
import type { Answer, Draft, Server } from "@/text/journal";
import type { Fragment } from "@/text/markup";
import { reviewOf, toReview } from "@/text/review";
import { refused } from "./server";

type RoundBody = Schemas["RoundBody"];

export function draftOfRound(round: RoundBody): Draft {
  const keys = round.questions.map(({ key }) => key);
  return { fragments: reviewOf(keys, round), revision: round.revision, savedAt: null };
}

/** Where a round's review is saved; what comes late is refused, and never becomes a review of the next round. */
export function roundServer(of: RoundBody): Server<RoundBody> {
  return {
    async save(fragments: readonly Fragment[], basedOn: number, leaving: boolean): Promise<Answer<RoundBody>> {
      try {
        const body = { ...toReview(fragments), revision: basedOn, round: of.round };
        const { data } = await api.PUT("/v1/round/review", { body, keepalive: leaving });
        if (!data) return { kind: "unreachable" };
        return { kind: "saved", revision: data.revision, at: data.server_time, judged: data };
      } catch (error) {
        return refused(error);
      }
    },
    async latest() {
      const { data } = await api.GET("/v1/round");
      if (data?.round !== of.round) throw new Error("another round is open");
      return draftOfRound(data);
    },
  };
}
