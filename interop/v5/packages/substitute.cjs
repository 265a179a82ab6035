/** Gives programs that ask for `zmq` or `zeromq` what $ZMQ_PACKAGE names: `node --require substitute.cjs program.js`. */
const Module = require("node:module");

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return resolve.call(this, request === "zmq" || request === "zeromq" ? process.env.ZMQ_PACKAGE : request, ...rest);
};
