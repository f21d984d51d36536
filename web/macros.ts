import { transformAsync } from "@babel/core";
import linguiMacro from "@lingui/babel-plugin-lingui-macro";
import type { Plugin } from "vite";

const TYPED = /\.tsx?$/;

/** Replaces Lingui's macros by calls, in the few files that import them; everything else is the bundler's work. */
export function macros(): Plugin {
  return {
    name: "lingui-macros",
    enforce: "pre",
    async transform(code, id) {
      const [file = id] = id.split("?");
      if (!TYPED.test(file) || !code.includes("/macro")) return null;
      const done = await transformAsync(code, {
        filename: file,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: file.endsWith("x") ? ["typescript", "jsx"] : ["typescript"] },
        plugins: [linguiMacro],
      });
      return done?.code ? { code: done.code, map: done.map ?? null } : null;
    },
  };
}
