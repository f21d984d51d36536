import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Ago } from "./Ago";
import { Problem } from "./Problem";
import { Skeleton } from "./Skeleton";
import styles from "./ui.module.css";

interface AnsweredProps<T> {
  of: UseQueryResult<T, unknown>;
  /** What stands there until the first answer; it keeps the layout's height. */
  loading?: ReactNode;
  children: (data: T) => ReactNode;
}

/** A question's answer, or what stands in its place. What was answered once stays, with its age, when asking fails. */
export function Answered<T>({ of, loading = <Skeleton lines={5} />, children }: AnsweredProps<T>) {
  if (of.data !== undefined) {
    return (
      <>
        {of.error && (
          <p className={styles.stale} role="status">
            <Trans>
              The platform does not answer now. This is from <Ago at={of.dataUpdatedAt} />.
            </Trans>
          </p>
        )}
        {children(of.data)}
      </>
    );
  }
  return of.error ? <Problem error={of.error} retry={() => void of.refetch()} /> : loading;
}
