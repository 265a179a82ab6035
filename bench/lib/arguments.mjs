/**
 * Arguments on the command line: `key=value` for the programs that the runner starts (the same form in C), and
 * `--name value` for what a person types.
 */

/**
 * `size=10 address=tcp://127.0.0.1:*` as an object of texts.
 *
 * @param {string[]} [argv]
 * @returns {Record<string, string>}
 */
export function readPairs(argv = process.argv.slice(2)) {
  return Object.fromEntries(
    argv.map((argument) => {
      const at = argument.indexOf("=");
      return at < 0 ? [argument, ""] : [argument.slice(0, at), argument.slice(at + 1)];
    }),
  );
}

/**
 * `--rounds 3 --smoke rest` as `{ flags: { rounds: "3", smoke: "" }, rest: ["rest"] }`. A flag listed in `switches`
 * takes no value.
 *
 * @param {{ values?: string[], switches?: string[] }} known
 * @param {string[]} [argv]
 * @returns {{ flags: Record<string, string>, rest: string[] }}
 */
export function readFlags({ values = [], switches = [] }, argv = process.argv.slice(2)) {
  /** @type {Record<string, string>} */
  const flags = {};
  const rest = [];
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at];
    if (!argument.startsWith("--")) {
      rest.push(argument);
      continue;
    }
    const [name, inline] = argument.slice(2).split("=", 2);
    if (switches.includes(name)) {
      flags[name] = "";
    } else if (values.includes(name)) {
      const value = inline ?? argv[++at];
      if (value === undefined) refuse(`--${name} needs a value`);
      flags[name] = value;
    } else {
      refuse(`unknown option --${name}; known: ${[...values, ...switches].map((one) => `--${one}`).join(" ")}`);
    }
  }
  return { flags, rest };
}

/**
 * Ends the process over what a person typed: with a line, not with a stack.
 *
 * @param {string} message
 * @returns {never}
 */
export function refuse(message) {
  console.error(message);
  process.exit(2);
}

/**
 * A list such as `zmtp,native`, or undefined when it was not given.
 *
 * @param {string | undefined} text
 * @returns {string[] | undefined}
 */
export function readList(text) {
  return text === undefined ? undefined : text.split(",").filter(Boolean);
}
