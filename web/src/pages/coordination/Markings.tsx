import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { useCalled } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { Wide } from "@/ui/Wide";
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
          {markings.length === 0 ? (
            <p>
              <Trans>Nothing has been given to experts yet. It will stand here with its progress.</Trans>
            </p>
          ) : (
            <Wide label={t`Table of the work given out`}>
              <thead>
                <tr>
                  <th scope="col">
                    <Trans>Work</Trans>
                  </th>
                  <th scope="col">
                    <Trans>Set</Trans>
                  </th>
                  <th scope="col">{Many}</th>
                  <th scope="col">
                    <Trans>Begun</Trans>
                  </th>
                </tr>
              </thead>
              <tbody>
                {markings.map((each) => (
                  <tr key={each.marking_id}>
                    <th scope="row">
                      <Link to="/desk/experts/markings/$markingId" params={{ markingId: each.marking_id }}>
                        {each.marking_id}
                      </Link>
                    </th>
                    <td>{each.set}</td>
                    <td>{each.essays}</td>
                    <td>
                      <Moment at={each.created_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Wide>
          )}
          {organizes && <Begin />}
        </>
      )}
    </AskedPage>
  );
}
