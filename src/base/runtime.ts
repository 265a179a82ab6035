/** What runs this, where that matters: Bun and Deno have the API of Node, and event loops of their own. */

/** Node itself, or something around it, such as Electron. */
export const IS_NODE: boolean = process.versions.bun === undefined && !("Deno" in globalThis);
