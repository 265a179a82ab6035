/**
 * Makes the declarations: what the entries reach, and no internal class; and a second set for compilers before TypeScript 4.3, down
 * to 3.7.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript-5";
import { ROOT } from "./lib.mjs";

/**
 * Writes the declarations of what `entries` reach of the sources in `folder`: a file for each entry, and one for each part that they
 * share.
 * @param {string} folder @param {string} outDir @param {string[]} entries names without an ending
 */
export async function bundleDeclarations(folder, outDir, entries) {
  const input = Object.fromEntries(entries.map((entry) => [entry, path.join(folder, `${entry}.ts`)]));
  const plugins = [dts({ sourcemap: true, tsconfig: path.join(ROOT, "tsconfig.json") })];
  const bundle = await rollup({ input, plugins, external: /^node:/, logLevel: "silent" });
  await bundle.write({
    dir: outDir,
    entryFileNames: "[name].d.ts",
    chunkFileNames: "[name].d.ts",
    minifyInternalExports: false,
    sourcemap: true,
    // Node's types before version 16 have its modules by this name only.
    paths: (id) => id.replace(/^node:/, ""),
    // Compilers since TypeScript 6 take in no types by themselves, and Buffer is one.
    banner: '/// <reference types="node" />',
    // Programs for ES5 cannot read private names, and the other is as private.
    plugins: [{ name: "private", renderChunk: (text) => ({ code: named(text), map: null }) }],
  });
}

/** @param {string} text */
const named = (text) => text.replace(/^( +)#private;$/gm, '$1private "#private";');

/** The other accessor of the same property. @param {ts.AccessorDeclaration} accessor */
function twinOf(accessor) {
  const { parent, name } = accessor;
  const members = /** @type {ts.NodeArray<ts.Node>} */ ("members" in parent ? parent.members : []);
  return members.find((one) => one !== accessor && ts.isAccessor(one) && one.name.getText() === name.getText());
}

/**
 * Writes the same in the words of TypeScript 3.7: it knows no accessors in interfaces, none that are set to more than they read as,
 * and no exports of types. Such an option takes only what it reads as.
 * @param {string} folder @param {string} outDir
 */
export function downLevel(folder, outDir) {
  mkdirSync(outDir);
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".d.ts")) continue;
    const text = readFileSync(path.join(folder, file), "utf8").replace(/^\/\/# sourceMappingURL.*$/m, "");
    /** @type {{ start: number, end: number, by: string }[]} */
    const edits = [];
    /** @param {ts.Node} node */
    const visit = (node) => {
      /** @param {string} by */
      const replace = (by) => edits.push({ start: node.getStart(), end: node.getEnd(), by });
      if (ts.isExportDeclaration(node)) replace(node.getText().replace(/^export type /, "export "));
      else if (ts.isGetAccessor(node)) {
        replace(`${twinOf(node) ? "" : "readonly "}${node.name.getText()}: ${node.type?.getText()};`);
      } else if (ts.isSetAccessor(node)) {
        replace(twinOf(node) ? "" : `${node.name.getText()}: ${node.parameters[0].type?.getText()};`);
      } else ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    const older = edits.reduceRight((all, { start, end, by }) => all.slice(0, start) + by + all.slice(end), text);
    writeFileSync(path.join(outDir, file), older);
  }
}
