import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { type Column, Table } from "./Table";

interface Team {
  name: string;
  files: number;
}

const TEAMS: readonly Team[] = [
  { name: "Beta", files: 2 },
  { name: "Alpha", files: 0 },
];
const NAME = { header: "Team", cell: ({ name }: Team) => name };
const FILES = { header: "Files", cell: ({ files }: Team) => files };

function drawn(table: ReactElement): string {
  return renderToStaticMarkup(table).replaceAll(' class=""', "");
}

describe("a table", () => {
  test("has a heading a column, and a row whose first cell names it", () => {
    expect(drawn(<Table rows={TEAMS} rowKey={({ name }) => name} columns={[NAME, FILES]} />)).toBe(
      '<table><thead><tr><th scope="col">Team</th><th scope="col">Files</th></tr></thead><tbody>' +
        '<tr><th scope="row">Beta</th><td>2</td></tr><tr><th scope="row">Alpha</th><td>0</td></tr></tbody></table>',
    );
  });

  test("leaves a column out that depends on a right, and names its rows by another column or by none", () => {
    const columns = [false as const, FILES, NAME, null];
    const table = (rowHeader: number) =>
      drawn(<Table rows={TEAMS.slice(1)} rowKey={(_, at) => at} columns={columns} rowHeader={rowHeader} />);
    expect(table(1)).toContain('<td>0</td><th scope="row">Alpha</th>');
    expect(table(-1)).toContain("<td>0</td><td>Alpha</td>");
  });

  test("has an empty cell above a column without a heading, and no head where no column has one", () => {
    const bare: Column<Team> = { cell: ({ files }) => files };
    const table = (first: Column<Team>) =>
      drawn(<Table rows={TEAMS} rowKey={(_, at) => at} columns={[first, { ...bare, className: "number" }]} />);
    expect(table(NAME)).toContain('<tr><th scope="col">Team</th><td></td></tr>');
    expect(table(bare)).toMatch(/^<table><tbody>.*<td class="number">0<\/td><\/tr><\/tbody><\/table>$/);
  });

  test("scrolls in a region where it has a label, and says in words that it is empty", () => {
    const table = (rows: readonly Team[]) =>
      drawn(
        <Table label="Teams" empty="No teams." caption="All" rows={rows} rowKey={(_, at) => at} columns={[NAME]} />,
      );
    expect(table([])).toBe("<p>No teams.</p>");
    expect(table(TEAMS)).toMatch(
      /^<section [^>]*tabindex="0" aria-label="Teams"><div><table><caption>All<\/caption><thead>/i,
    );
    expect(drawn(<Table rows={[]} rowKey={(_, at) => at} columns={[NAME]} />)).toContain("<tbody></tbody>");
  });

  test("gives a row and a cell what depends on the row, and stands between other rows", () => {
    const table = drawn(
      <Table
        rows={TEAMS}
        rowKey={({ name }) => name}
        columns={[
          { ...NAME, title: ({ name }) => name },
          { ...FILES, className: ({ files }) => (files ? "" : "void") },
        ]}
        rowProps={({ files }, index) => ({ "data-row": index, "aria-current": files === 2 || undefined })}
        before={<tr data-gap />}
        tableProps={{ "aria-rowcount": 3 }}
      />,
    );
    expect(table).toContain('<table aria-rowcount="3"><thead><tr aria-rowindex="1">');
    expect(table).toContain(
      '<tbody><tr data-gap="true"></tr><tr data-row="0" aria-current="true"><th scope="row" title="Beta">',
    );
    expect(table).toContain('<tr data-row="1"><th scope="row" title="Alpha">Alpha</th><td class="void">0</td></tr>');
  });

  test("has a row across its columns where it asks for one, and a line under all of them", () => {
    const table = drawn(
      <Table
        rows={TEAMS}
        rowKey={({ name }) => name}
        columns={[NAME, FILES, FILES]}
        across={({ files }) => files === 0 && "hidden"}
        foot="2 teams"
      />,
    );
    expect(table).toContain(
      '<tr><th scope="row">Beta</th><td>2</td><td>2</td></tr><tr><th scope="row">Alpha</th><td colSpan="2">hidden</td></tr>' +
        '</tbody><tfoot><tr><td colSpan="3">2 teams</td></tr></tfoot></table>',
    );
  });

  test.each([
    ["team", "ascending"],
    ["-team", "descending"],
    ["files", undefined],
  ])("sorted by %s says so at the column's heading, which is a button", (by, direction) => {
    const columns = [{ ...NAME, id: "team" }, FILES];
    const sorting = { by, change: () => undefined };
    const table = drawn(<Table rows={TEAMS} rowKey={({ name }) => name} columns={columns} sorting={sorting} />);
    expect(/aria-sort="(\w+)"/.exec(table)?.[1]).toBe(direction);
    expect(table.match(/<button type="button">Team( [↑↓])?<\/button>/g)).toHaveLength(1);
    expect(table).toContain('<th scope="col">Files</th>');
    expect(table.indexOf("Beta")).toBeLessThan(table.indexOf("Alpha"));
  });
});
