import { Fragment } from "react";
import { datedParts } from "./datedParts";
import { Moment } from "./Moment";

/** A text for people in which the platform wrote moments its own way: each is told as this reader reads times. */
export function Dated({ text }: { text: string }) {
  return datedParts(text).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    part.isMoment ? <Moment key={at} at={part.text} /> : <Fragment key={at}>{part.text}</Fragment>,
  );
}
