import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LinkProps } from "@tanstack/react-router";

/** A room of the desk. */
export interface Entry {
  to: NonNullable<LinkProps["to"]>;
  label: MessageDescriptor;
  /** What one asks there, in a sentence. */
  about: MessageDescriptor;
  /** One of `/v1/me`'s rights: who has it not is shown no link (and refused by the platform). */
  right: string;
  /** After `g`, the letter (by its place on the keyboard) that goes there; none of the navigation's. */
  key: string;
  /** Only where the contest takes submissions. */
  ofSubmissions?: true;
}

/**
 * The desk's rooms, in their order.
 *
 * Clause: R 2.18, platform §8 organizers
 */
export const ENTRIES: readonly Entry[] = [
  {
    to: "/desk/runs",
    label: msg`Runs`,
    about: msg`Plan runs, watch them, pause and decide.`,
    right: "inspect_submissions",
    key: "KeyN",
  },
  {
    to: "/desk/settlement",
    label: msg`Settlement`,
    about: msg`What stands between a final and its publication; boards, rescorings, annulments.`,
    right: "inspect_submissions",
    key: "KeyS",
  },
  {
    to: "/desk/conclusions",
    label: msg`Conclusions`,
    about: msg`Which conclusions wait: judges confirm, the commission verifies, organizers admit.`,
    right: "read_reports",
    key: "KeyJ",
  },
  {
    to: "/desk/protocols",
    label: msg`Protocols`,
    about: msg`What judges and commission found of a run's results, or of a mass failure, and what waits for it.`,
    right: "read_reports",
    key: "KeyX",
  },
  {
    to: "/desk/submissions",
    label: msg`Files of runs`,
    about: msg`Every file of every team of a run with its cause, and the commission's record.`,
    right: "inspect_submissions",
    key: "KeyF",
  },
  {
    to: "/desk/submitted",
    label: msg`Submissions`,
    about: msg`All teams' submissions: state, cause of a failure, log, report; what is run again; the private test.`,
    right: "inspect_submissions",
    key: "KeyP",
    ofSubmissions: true,
  },
  {
    to: "/desk/experts",
    label: msg`Experts`,
    about: msg`Will their work end in time: progress, what is late, agreement, drift; who gets what.`,
    right: "watch_assignments",
    key: "KeyE",
  },
  {
    to: "/desk/teams",
    label: msg`Teams`,
    about: msg`Applications and decisions; members, invitations and tokens.`,
    right: "organize",
    key: "KeyO",
  },
  {
    to: "/desk/sets",
    label: msg`Data sets`,
    about: msg`Import sets with every fault at once; publish them.`,
    right: "organize",
    key: "KeyI",
  },
  {
    to: "/desk/staff",
    label: msg`Staff`,
    about: msg`Experts, judges, commission, organizers: invite, change roles, dismiss.`,
    right: "inspect_submissions",
    key: "KeyW",
  },
  {
    to: "/desk/parameters",
    label: msg`Parameters`,
    about: msg`Versions, what each changes, and the next one with its notice.`,
    right: "organize",
    key: "KeyH",
  },
  {
    to: "/desk/announcing",
    label: msg`Announcements`,
    about: msg`Drafts, publication, corrections and withdrawals.`,
    right: "organize",
    key: "KeyY",
  },
  {
    to: "/desk/check",
    label: msg`Check`,
    about: msg`The cycle looked over before a final; the cycle as its file says it.`,
    right: "organize",
    key: "KeyK",
  },
  {
    to: "/desk/audit",
    label: msg`Audit log`,
    about: msg`What people changed, with each field before and after.`,
    right: "organize",
    key: "KeyL",
  },
  {
    to: "/desk/operations",
    label: msg`Operations`,
    about: msg`What is stuck, and jobs that failed for good.`,
    right: "inspect_submissions",
    key: "KeyZ",
  },
  {
    to: "/desk/cost",
    label: msg`Cost`,
    about: msg`What the cycle's finals and days cost by estimate, part by part.`,
    right: "organize",
    key: "KeyQ",
  },
];
