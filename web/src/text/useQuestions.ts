import { useLingui } from "@lingui/react/macro";

/** The questions of the regulation about an explanation (R-App1, M7), in its order; each is answered yes or no. */
export function useQuestions(): readonly string[] {
  const { t } = useLingui();
  return [
    t`The essay's author will most likely understand it`,
    t`It explains rightly what the error is`,
    t`It leaves no ground for an appeal`,
    t`It speaks about the text, and about this very fragment`,
    t`It teaches: it helps to avoid such errors`,
  ];
}
