import "./tokens.css";
import "./base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "@/api/client";
import { currentSession, onSession, restore } from "@/auth/session";
import { loadRoom, preferredLanguage, speak } from "@/i18n/i18n";
import { applyTheme } from "@/shell/Shell";
import { router } from "./router";

// The router reloads the page if a part of the site is missing; without a network the page would be lost.
addEventListener("vite:preloadError", ({ payload }) => {
  if (!navigator.onLine) payload.message = "offline";
});

async function start(): Promise<void> {
  applyTheme();
  const language = preferredLanguage();
  await loadRoom("public", language);
  await speak(language);
  // A signed-in user may see more. Signing out reloads the page, so that no data of the user remains.
  onSession(() => {
    if (currentSession().state === "in") void queryClient.invalidateQueries();
  });
  // A sign-in that comes back takes the place of the tab's earlier one, whose data must not be asked for any more.
  if (location.pathname !== "/signin/callback") restore();
  const place = document.getElementById("root");
  if (!place) throw new Error("the page has no #root");
  createRoot(place).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

void start();
