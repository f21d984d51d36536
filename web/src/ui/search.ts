/** Texts of an address by their names; a text of digits alone comes as a number and is one all the same. */
export function texts<Name extends string>(
  said: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { [name in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = said[name];
    return (typeof value === "string" && value !== "") || typeof value === "number" ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(found) as { [name in Name]?: string };
}
