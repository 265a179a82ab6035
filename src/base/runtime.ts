/** The runtime, where it matters which one it is: Bun and Deno have the API of Node, and event loops of their own. */

/** Node itself, or something around it, such as Electron. */
export const IS_NODE: boolean = process.versions.bun === undefined && !("Deno" in globalThis);
