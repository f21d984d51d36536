import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";

export type KitStatement = Schemas["KitStatement"];

/** What a program of a participant needs: the command, and the library that it stands on. */
const NEEDED = ["hurdle-pku", "markup-core"];

export const kitQuery = get("/v1/kit", {});

/** Where a file of the kit lies. */
export function placeOf(file: string): string {
  return `/kit/${file}`;
}

/** What installs the kit; pip holds every file to the SHA-256 that stands behind its address. */
export function installCommand(kit: KitStatement, origin: string): string {
  const files = kit.packages.filter(({ name }) => NEEDED.includes(name));
  return ["pip install", ...files.map(({ file, sha256 }) => `"${origin}${placeOf(file)}#sha256=${sha256}"`)].join(" ");
}

/** The same for a machine without a network, where a bundle was unpacked. */
export function offlineCommand(bundle: Schemas["BundleBody"]): string {
  return `pip install --no-index --find-links ${bundle.file.replace(/\.zip$/, "")} hurdle-pku`;
}
