/** A program with an authenticator and a secured socket that has nothing more to do. */
import { Pull } from "zmtp";
import { Authenticator } from "../../src/auth.ts";
import { curveServer } from "./people.ts";

const authenticator = new Authenticator();
authenticator.setKeys("any");
authenticator.start();
const pull = new Pull({ ...curveServer, zapDomain: "test", linger: 0 });
await pull.bind("tcp://127.0.0.1:*");
console.log("bound");
