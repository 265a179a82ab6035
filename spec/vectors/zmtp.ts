/**
 * Octets as libzmq 4.3.4 and 4.3.5 sent them: one end was the real library, the other a bare socket that logged. Blanks
 * are for reading. What is named after a socket type or an option is libzmq with that and nothing else.
 */

/** A whole greeting with NULL, 3.1, no routing id; and its stages: on connect, after 10 octets came, after octet 11. */
export const SIGNATURE = "ff 0000000000000001 7f";
export const SIGNATURE_ID_ABC = "ff 0000000000000004 7f";
export const AFTER_10 = "03";
export const AFTER_11 = `01 4e554c4c00000000000000000000000000000000 00 ${"00".repeat(31)}`;
export const GREETING_NULL = `${SIGNATURE} ${AFTER_10} ${AFTER_11}`;
export const GREETING_PLAIN = `${SIGNATURE} 03 01 504c41494e000000000000000000000000000000 00 ${"00".repeat(31)}`;
export const GREETING_CURVE = `${SIGNATURE} 03 01 4355525645000000000000000000000000000000 00 ${"00".repeat(31)}`;

/** READY by socket type, without a routing id. */
export const READY = {
  PAIR: "041a0552454144590b536f636b65742d547970650000000450414952",
  PUB: "04190552454144590b536f636b65742d5479706500000003505542",
  SUB: "04190552454144590b536f636b65742d5479706500000003535542",
  REQ: "04260552454144590b536f636b65742d5479706500000003524551084964656e7469747900000000",
  REP: "04190552454144590b536f636b65742d5479706500000003524550",
  DEALER: "04290552454144590b536f636b65742d54797065000000064445414c4552084964656e7469747900000000",
  ROUTER: "04290552454144590b536f636b65742d5479706500000006524f55544552084964656e7469747900000000",
  PULL: "041a0552454144590b536f636b65742d547970650000000450554c4c",
  PUSH: "041a0552454144590b536f636b65742d547970650000000450555348",
  XPUB: "041a0552454144590b536f636b65742d547970650000000458505542",
  XSUB: "041a0552454144590b536f636b65742d547970650000000458535542",
  SERVER: "041c0552454144590b536f636b65742d5479706500000006534552564552",
  CLIENT: "041c0552454144590b536f636b65742d5479706500000006434c49454e54",
  RADIO: "041b0552454144590b536f636b65742d5479706500000005524144494f",
  DISH: "041a0552454144590b536f636b65742d547970650000000444495348",
  GATHER: "041c0552454144590b536f636b65742d5479706500000006474154484552",
  SCATTER: "041d0552454144590b536f636b65742d547970650000000753434154544552",
  PEER: "041a0552454144590b536f636b65742d547970650000000450454552",
  CHANNEL: "041d0552454144590b536f636b65742d54797065000000074348414e4e454c",
} as const;

export const READY_ROUTER_ID_SRV =
  "042c0552454144590b536f636b65742d5479706500000006524f55544552084964656e7469747900000003537276";
export const READY_DEALER_ID_ABC =
  "042c0552454144590b536f636b65742d54797065000000064445414c4552084964656e7469747900000003616263";

/** Messages: what the application sent, and the frames. */
export const MESSAGES: readonly (readonly [frames: readonly string[], octets: string])[] = [
  [[""], "0000"],
  [["a"], "000161"],
  [["x".repeat(255)], `00ff ${"78".repeat(255)}`],
  [["x".repeat(256)], `02 0000000000000100 ${"78".repeat(256)}`],
  [["", "x"], "0100 000178"],
  [["a", "", "c".repeat(256)], `010161 0100 02 0000000000000100 ${"63".repeat(256)}`],
  [["", "q1"], "0100 00027131"],
  [["\x52\xdc\xb0\xf4", "", "q1"], "0104 52dcb0f4 0100 00027131"],
  [["id1", "id2", "", "r"], "0103696431 0103696432 0100 000172"],
];

/** Both ends libzmq, complete streams: REQ sent ["Hello","World"], REP answered "OK". */
export const REQ_STREAM = `${GREETING_NULL} ${READY.REQ} 0100 010548656c6c6f 0005576f726c64`;
export const REP_STREAM = `${GREETING_NULL} ${READY.REP} 0100 00024f4b`;

/**
 * [topic, subscribe, octets to a 3.1 peer, octets to an older one]. 3.0 with 255 octets is not libzmq's, which breaks
 * its stream.
 */
export const SUBSCRIPTIONS: readonly (readonly [string, boolean, string, string])[] = [
  ["", true, "040a 09535542534352494245", "000101"],
  ["A", true, "040b 09535542534352494245 41", "0002 0141"],
  ["", false, "0407 0643414e43454c", "000100"],
  ["A", false, "0408 0643414e43454c 41", "0002 0041"],
  ["a".repeat(245), true, `04ff 09535542534352494245 ${"61".repeat(245)}`, `00f6 01 ${"61".repeat(245)}`],
  [
    "a".repeat(246),
    true,
    `06 0000000000000100 09535542534352494245 ${"61".repeat(246)}`,
    `00f7 01 ${"61".repeat(246)}`,
  ],
  ["b".repeat(249), false, `06 0000000000000100 0643414e43454c ${"62".repeat(249)}`, `00fa 00 ${"62".repeat(249)}`],
  [
    "a".repeat(254),
    true,
    `06 0000000000000108 09535542534352494245 ${"61".repeat(254)}`,
    `00ff 01 ${"61".repeat(254)}`,
  ],
  [
    "a".repeat(255),
    true,
    `06 0000000000000109 09535542534352494245 ${"61".repeat(255)}`,
    `02 0000000000000100 01 ${"61".repeat(255)}`,
  ],
  [
    "a".repeat(256),
    true,
    `06 000000000000010a 09535542534352494245 ${"61".repeat(256)}`,
    `02 0000000000000101 01 ${"61".repeat(256)}`,
  ],
];

export const PING_TTL_1250 = "0407 0450494e47 000c";
export const PING_TTL_0 = "0407 0450494e47 0000";

/** [PING, PONG]: with a context of 2 octets, of none, of 20. */
export const PINGS: readonly (readonly [string, string])[] = [
  ["0409 0450494e47 0000 6869", "0407 04504f4e47 6869"],
  ["0407 0450494e47 0000", "0405 04504f4e47"],
  [
    "041b 0450494e47 0000 30313233343536373839616263646566 5758595a",
    "0415 04504f4e47 30313233343536373839616263646566",
  ],
];

export const ERROR_400 = "040a 05 4552524f52 03 343030";
export const ERROR_400_SHORT = "0409 5e 52524f52 03 343030";

/** PLAIN, user admin, password secret: REQ with routing id cli1 to REP. */
export const PLAIN = {
  clientGreeting: `ff 0000000000000005 7f 03 01 504c41494e000000000000000000000000000000 00 ${"00".repeat(31)}`,
  hello: "0413 0548454c4c4f 0561646d696e 06736563726574",
  welcome: "0408 0757454c434f4d45",
  initiate: "042d 08494e495449415445 0b536f636b65742d5479706500000003524551 084964656e7469747900000004636c6931",
  ready: "0419 055245414459 0b536f636b65742d5479706500000003524550",
} as const;

/** Older peers. P is the bare peer, LZ the library. */
export const DOWNGRADE = {
  /** 2.0: P is a ROUTER with id "RR"; LZ a DEALER with id "ID1" that sends ["A", 300 x "B"]. */
  router20: "ff 0000000000000001 7f 01 06 00025252",
  dealer20: `ff 0000000000000004 7f 03 05 0003494431 010141 02 000000000000012c ${"42".repeat(300)}`,
  /** 2.0: LZ a SUB with "A". */
  sub20: "ff 0000000000000001 7f 03 02 0000 00020141",
  xpub20: "ff 0000000000000001 7f 03 09 0000",
  /** 1.0: P without an identity, in the short and the long form; LZ a ROUTER without id, and with id "ID1". */
  anonymous10: "0100",
  anonymousLong10: "ff 0000000000000001 00",
  router10: "ff 0000000000000001 7f",
  routerId10: "ff 0000000000000004 7f 494431",
} as const;

/** Messages of 1.0. */
export const MESSAGES_10: readonly (readonly [frames: readonly string[], octets: string])[] = [
  [["hi", "there"], "0301 6869 0600 7468657265"],
  [["A", ""], "020141 0100"],
  [["hello"], "0600 68656c6c6f"],
  [["x".repeat(253)], `fe00 ${"78".repeat(253)}`],
  [["x".repeat(254)], `ff 00000000000000ff 00 ${"78".repeat(254)}`],
];

export const Z85: readonly (readonly [octets: string, text: string])[] = [
  ["864fd26fb559f75b", "HelloWorld"],
  ["00000000", "00000"],
  ["00000001", "00001"],
  ["fffffffe", "%nSb#"],
  ["ffffffff", "%nSc0"],
  ["000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "009c61o!#m2NH?C3>iWS5d]J*6CRx17-skh9337x"],
];

/** Not Z85: overflow twice, wrong lengths, characters that are no digits. */
export const NOT_Z85: readonly string[] = ["%nSc1", "#####", "0000", "", '0000"', "0000 ", "0000'", "0000~", "0000é"];
