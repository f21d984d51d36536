import { useLingui } from "@lingui/react";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { inLanguage, useCycle, useLanguage } from "./cycle";

/** A page: its title in the window and as its heading, which has the focus after a change of pages. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const router = useRouter();
  const cycle = useCycle();
  const language = useLanguage();
  useLingui();
  const name = cycle ? inLanguage(cycle.name, language) : "Hurdle";
  useEffect(() => {
    // The first page is called as the contest is.
    document.title = title === name ? name : `${title} · ${name}`;
  }, [title, name]);
  useEffect(() => {
    // Where somebody came in, the browser's own start is right.
    if (router.history.length > 1 && router.state.resolvedLocation) heading.current?.focus({ preventScroll: true });
  }, [router]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}
