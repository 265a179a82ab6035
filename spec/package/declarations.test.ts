/**
 * Compares every name that the declarations of the original export, and every member of them, with ours. Needs a build.
 * What a program reads of ours has to fit where it was written for the original's; what differs on purpose is listed
 * with the reason.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type ts5 from "typescript-5";
import { assert, suite } from "../helpers/test.ts";

const it = suite("package/declarations");

/** Not to be bundled with the test. */
const ts: typeof ts5 = createRequire(path.join(process.cwd(), "package.json"))("typescript-5");

const ORIGINAL = path.join(process.cwd(), "interop/node_modules/zeromq/lib");
const OURS = path.join(process.cwd(), "dist/types");

const NUMBER = "their enumeration is not exported, and has these numbers for values";
const GENERIC = "of a parameter nothing can be told; the program that is compiled names each event";
const PARAMETER = "the parameter has another name";
const INTERNAL = "theirs, and marked as such by the underscore";

/** What differs, and why that does no harm. */
const DIFFERENCES: Record<string, Record<string, string>> = {
  index: {
    "Socket#type": NUMBER,
    "Pair#type": NUMBER,
    "Publisher#type": NUMBER,
    "Subscriber#type": NUMBER,
    "Request#type": NUMBER,
    "Reply#type": NUMBER,
    "Dealer#type": NUMBER,
    "Router#type": NUMBER,
    "Pull#type": NUMBER,
    "Push#type": NUMBER,
    "XPublisher#type": NUMBER,
    "XSubscriber#type": NUMBER,
    "Stream#type": NUMBER,
    "Observer#on": GENERIC,
    "Observer#off": GENERIC,
    "EventSubscriber#on": GENERIC,
    "EventSubscriber#off": GENERIC,
    "Proxy#frontEnd": PARAMETER,
    "Proxy#backEnd": PARAMETER,
  },
  "v5-compat": {
    "Socket#_msg": INTERNAL,
    "Socket#_recvQueue": INTERNAL,
    "Socket#_sendQueue": INTERNAL,
    "Socket#_paused": INTERNAL,
    "Socket#_socket": INTERNAL,
    "Socket#_count": INTERNAL,
    "Socket#_recv": INTERNAL,
    "Socket#_send": INTERNAL,
  },
};

type Names = Map<string, ts5.Symbol>;

/** The names of symbols hold a number that is another one in each library. */
const plain = (name: string): string => name.replace(/^__@(\w+)@\d+$/, "[Symbol.$1]");

class Comparison {
  readonly #checker: ts5.TypeChecker;
  readonly #program: ts5.Program;
  readonly #byName: boolean;
  readonly found: Record<string, string> = {};

  /** @param byName whether a member that is there will do */
  constructor(files: string[], byName: boolean) {
    this.#byName = byName;
    this.#program = ts.createProgram(files, {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.Node10,
      types: ["node"],
    });
    this.#checker = this.#program.getTypeChecker();
  }

  exports(file: string): Names {
    const source = this.#program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    const resolve = (symbol: ts5.Symbol): ts5.Symbol =>
      symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    return new Map(this.#checker.getExportsOfModule(module).map((symbol) => [symbol.name, resolve(symbol)]));
  }

  /** Everything that `theirs` has. */
  compare(theirs: Names, ours: Names): void {
    const { Class, Interface, TypeAlias, Value } = ts.SymbolFlags;
    for (const [name, symbol] of theirs) {
      const own = ours.get(name);
      if (own === undefined) {
        this.found[name] = "missing";
        continue;
      }
      if (symbol.flags & (Class | Interface)) this.#members(`${name}#`, ...this.#declared(symbol, own));
      else if (symbol.flags & TypeAlias) this.#fits(name, ...this.#declared(symbol, own));
      if (!(symbol.flags & Value)) continue;
      const [a, b] = [this.#checker.getTypeOfSymbol(symbol), this.#checker.getTypeOfSymbol(own)];
      if (symbol.flags & Class) this.#members(`${name}.`, a, b);
      else this.#fits(name, a, b);
    }
  }

  #declared(symbol: ts5.Symbol, own: ts5.Symbol): [ts5.Type, ts5.Type] {
    return [this.#checker.getDeclaredTypeOfSymbol(symbol), this.#checker.getDeclaredTypeOfSymbol(own)];
  }

  #members(name: string, theirs: ts5.Type, ours: ts5.Type): void {
    const own = new Map(this.#checker.getPropertiesOfType(ours).map((member) => [plain(member.name), member]));
    for (const member of this.#checker.getPropertiesOfType(theirs)) {
      const title = plain(member.name);
      const other = own.get(title);
      if (title === "prototype") continue;
      if (other === undefined) this.found[name + title] = "missing";
      else this.#fits(name + title, this.#checker.getTypeOfSymbol(member), this.#checker.getTypeOfSymbol(other));
    }
  }

  /** Classes with private members fit only themselves, so that the same words are enough. */
  #fits(name: string, theirs: ts5.Type, ours: ts5.Type): void {
    if (this.#byName || this.#checker.isTypeAssignableTo(ours, theirs)) return;
    const [a, b] = [theirs, ours].map((type) => this.#checker.typeToString(type));
    if (a !== b) this.found[name] = `${b}, not ${a}`;
  }
}

/** The methods of version 5 return a socket, a class that fits only itself: of them the compiled program tells. */
for (const [original, entry, byName] of [
  ["index", "index", false],
  ["compat", "v5-compat", true],
] as const) {
  const files: [string, string] = [path.join(ORIGINAL, `${original}.d.ts`), path.join(OURS, `${entry}.d.ts`)];
  const compare = () => {
    const comparison = new Comparison(files, byName);
    const [theirs, ours] = files.map((file) => comparison.exports(file)) as [Names, Names];
    comparison.compare(theirs, ours);
    const listed = Object.keys(DIFFERENCES[entry] as object).sort();
    assert.equal(Object.keys(comparison.found).sort(), listed, JSON.stringify(comparison.found, null, 1));
  };
  const title = `has every name and member that the original declares: ${entry}`;
  if (existsSync(files[0]) || process.env.CI) it(title, compare, { timeout: 60_000 });
  else it.skip(title, "npm ci --prefix interop was not run");
}

it.run();
