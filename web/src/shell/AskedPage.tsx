import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "@/api/problem";
import { Answered, Page } from "@/ui/Page";
import { Forbidden } from "./Failures";

interface AskedPageProps<T> {
  title: string;
  of: UseQueryResult<T, unknown>;
  children: (data: T) => ReactNode;
}

/** A page that stands on one question; who may not ask it is told as a whole page which right is missing. */
export function AskedPage<T>({ title, of, children }: AskedPageProps<T>) {
  if (isForbidden(of.error) && of.data === undefined) return <Forbidden error={of.error} />;
  return (
    <Page title={title}>
      <Answered of={of}>{children}</Answered>
    </Page>
  );
}

/** A right is missing. What is closed to everybody for now is refused with a code of its own, and said in its place. */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "forbidden";
}
