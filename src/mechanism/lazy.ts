/**
 * CURVE, loaded when a socket is given keys or somebody makes some: with what it needs of the runtime it is a third of
 * the time that loading everything takes, and most programs never use it.
 */
import type * as Curve from "./curve.ts";

export function loadCurve(): typeof Curve {
  // The build turns the path into that of another bundle; tests bundle the file in place. Either way it is evaluated
  // here.
  return require("./curve.ts") as typeof Curve;
}
