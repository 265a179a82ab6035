/** Where options differ on purpose from the original's. */

/** @typedef {{ where: string, option: unknown, what: string, there: string, here: string }} Step what differs, and both outcomes */
/** @typedef {readonly [id: unknown, kind: string]} Numbered libzmq's number of an option, and the type of its calls by number */
/**
 * @typedef {object} Difference
 * @property {string} row the first cell of its row in docs/reference/differences.md
 * @property {(step: Step) => boolean} is
 */

/** The page that tells users of them. */
export const PAGE = new URL("../../docs/reference/differences.md", import.meta.url);

/**
 * Options that the original's classes do not have; by number its libzmq has them, but for the first.
 * @type {Record<string, Numbered>}
 */
export const ADDITIONS = {
  busyPoll: [-1, "Int32"],
  metadata: [95, "String"],
  routerNotify: [97, "Int32"],
  manualLastValue: [98, "Bool"],
  socksUsername: [99, "String"],
  socksPassword: [100, "String"],
  onlyFirstSubscribe: [108, "Bool"],
  reconnectStop: [109, "Int32"],
  helloMessage: [110, "String"],
  disconnectMessage: [111, "String"],
  hiccupMessage: [114, "String"],
  verboseUnsubscribe: [115, "Bool"],
  topicsCount: [116, "Int32"],
};

const WAITS = "; warns: Socket option will not take effect until next connect/bind.";
const REFUSED = "throws Error EINVAL 22 Invalid argument";
const THREAD_SAFE = 81;
const THREAD_SCHED_POLICY = 4;
const DRAFT_NUMBERS = Object.values(ADDITIONS).map(([id]) => id);

/** Options that act at once, and of which the original warns nonetheless: by name and by number. @type {unknown[]} */
const ACT_AT_ONCE = ["invertMatching", "manual", "noDrop", "welcomeMessage", 69, 71, 72, 74];

/** The same but for the warning, where it makes no sense. @param {Step} step */
function warnsThereOnly({ where, option, there, here }) {
  if (there.replace(WAITS, "") !== here) return false;
  return where.endsWith("closed") || here.startsWith("throws") || ACT_AT_ONCE.includes(option);
}

/** @type {Difference[]} */
export const DIFFERENCES = [
  {
    row: 'the warning "Socket option will not take effect until next connect/bind"',
    is: warnsThereOnly,
  },
  {
    row: "reading `curvePublicKey`, `curveSecretKey`, `curveServerKey` once the mechanism is CURVE",
    is: ({ option, there, here }) =>
      /^curve.*Key$|^(48|49|50)$/.test(String(option)) && there === REFUSED && /^'.{40}'$/.test(here),
  },
  {
    row: "`plainUsername`, `plainPassword` after null",
    is: ({ option, what, here }) =>
      /^plain(Username|Password)$|^4[56]$/.test(String(option)) && /read|^get/.test(what) && here === "null",
  },
  {
    row: "malformed addresses",
    is: ({ option, what, here }) => option === "tcpAcceptFilter" && what === '= "1"' && here === REFUSED,
  },
  {
    row: "`affinity = NaN`",
    is: ({ option, what }) => option === "affinity" && what === "read after NaN",
  },
  {
    row: "an unknown `verbosity` for a closed XPUB",
    is: ({ where, option, there }) => where === "XPublisher closed" && option === "verbosity" && there === "undefined",
  },
  {
    row: "by number: options that `zeromq` has no property for, and two others",
    is: ({ where, option, what }) =>
      DRAFT_NUMBERS.includes(/** @type {number} */ (option)) ||
      (option === THREAD_SAFE && /^get.*64/.test(what)) ||
      (where === "Context" && option === THREAD_SCHED_POLICY && what.startsWith("get")),
  },
];
