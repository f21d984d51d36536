import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "@/api/problem";
import { Forbidden } from "@/shell/Failures";
import { Answered } from "@/ui/Answered";
import { Page } from "@/ui/Page";

interface DeskPageProps<T> {
  title: string;
  of: UseQueryResult<T, unknown>;
  children: (data: T) => ReactNode;
}

/** A room that stands on one question; who may not ask it is told as a whole page which right is missing. */
export function DeskPage<T>({ title, of, children }: DeskPageProps<T>) {
  if (of.error instanceof ApiError && of.error.status === 403 && of.data === undefined) {
    return <Forbidden error={of.error} />;
  }
  return (
    <Page title={title}>
      <Answered of={of}>{children}</Answered>
    </Page>
  );
}
