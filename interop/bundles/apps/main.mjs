/** The program as an ES module: what it imports and what CommonJS requires has to be one library in the bundle, too. */
import * as zmq from "zmtp";
import { Push } from "zmtp";
import { Authenticator } from "zmtp/auth";
import conversation from "./conversation.cjs";

const { Push: Other } = conversation.zmq;
if (Push !== zmq.Push || Push !== Other) throw new Error("two libraries");
if (typeof Authenticator !== "function") throw new Error("no authenticator");
console.log(await conversation.conversation());
