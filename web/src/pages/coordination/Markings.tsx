import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { useCalled } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { Table } from "@/ui/Table";
import { Begin } from "./Begin";
import { MARKINGS } from "./data";
import { RoomTabs } from "./Tabs";

/** Everything that was given to experts; whoever organizes gives more. */
export function Markings() {
  const { t } = useLingui();
  const { Many } = useCalled();
  const found = useQuery(MARKINGS);
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Experts`} of={found}>
      {({ markings }) => (
        <>
          <RoomTabs />
          <Table
            label={t`Table of the work given out`}
            empty={t`Nothing has been given to experts yet. It will stand here with its progress.`}
            rows={markings}
            rowKey={(each) => each.marking_id}
            columns={[
              {
                header: t`Work`,
                cell: ({ marking_id: markingId }) => (
                  <Link to="/desk/experts/markings/$markingId" params={{ markingId }}>
                    {markingId}
                  </Link>
                ),
              },
              { header: t`Set`, cell: ({ set }) => set },
              { header: Many, cell: ({ essays }) => essays },
              { header: t`Begun`, cell: (each) => <Moment at={each.created_at} /> },
            ]}
          />
          {organizes && <Begin />}
        </>
      )}
    </AskedPage>
  );
}
