import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";

export type KitStatement = Schemas["KitStatement"];

export const kitQuery = get("/v1/kit", {});

/** Where a file of the kit lies. */
export function placeOf(file: string): string {
  return `/kit/${file}`;
}

/**
 * The line that installs every wheel of the kit; pip holds each to the SHA-256 behind its address. None is left out: pip
 * would ask the public index for its name. `pku doctor` prints the same line.
 */
export function installCommand(kit: Pick<KitStatement, "packages">, origin: string): string {
  return [
    "pip install",
    ...kit.packages.map(({ file, sha256 }) => `"${origin}${placeOf(file)}#sha256=${sha256}"`),
  ].join(" ");
}

/** The same for a machine without a network, where a bundle was unpacked. */
export function offlineCommand(bundle: Schemas["BundleBody"]): string {
  return `pip install --no-index --find-links ${bundle.file.replace(/\.zip$/, "")} hurdle-pku`;
}
