import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { get } from "@/api/queries";
import { SessionFiles } from "@/pages/cabinet/Files";
import { readFilesSearch } from "@/pages/cabinet/filesView";
import { SessionReport } from "@/pages/cabinet/Report";
import { SessionCourse } from "@/pages/cabinet/Session";
import { AskedPage } from "@/shell/AskedPage";
import { SessionTabs } from "./SessionTabs";

export function CoursePage() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/desk/sessions/$sessionId/course" });
  return (
    <OfSession title={t`Session ${sessionId}`} sessionId={sessionId}>
      <SessionCourse sessionId={sessionId} />
    </OfSession>
  );
}

export function ReportPage() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/desk/sessions/$sessionId/report" });
  return (
    <OfSession title={t`Report of session ${sessionId}`} sessionId={sessionId}>
      <SessionReport sessionId={sessionId} />
    </OfSession>
  );
}

export function FilesPage() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/desk/sessions/$sessionId/files" });
  const search = useSearch({ from: "/desk/sessions/$sessionId/files" });
  const navigate = useNavigate({ from: "/desk/sessions/$sessionId/files" });
  return (
    <OfSession title={t`Files of session ${sessionId}`} sessionId={sessionId}>
      <SessionFiles
        sessionId={sessionId}
        search={search}
        change={(changed) =>
          void navigate({
            search: (before) => readFilesSearch({ ...before, ...changed }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </OfSession>
  );
}

interface OfSessionProps {
  title: string;
  sessionId: string;
  children: ReactNode;
}

/** A page about a session that is there and may be read. */
function OfSession({ title, sessionId, children }: OfSessionProps) {
  const session = useQuery(get("/v1/sessions/{session_id}", { params: { path: { session_id: sessionId } } }));
  return (
    <AskedPage title={title} of={session}>
      {() => (
        <>
          <SessionTabs sessionId={sessionId} />
          {children}
        </>
      )}
    </AskedPage>
  );
}
