/** Loaded first by an emulated Node: its children have to be emulated, too. */
process.execPath = /** @type {string} */ (process.env.ZMTP_EMULATED_NODE);
