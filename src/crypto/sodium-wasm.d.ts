/** Made at build time by scripts/sodium-wasm.mjs. */
declare module "sodium:wasm" {
  /** The WebAssembly of libsodium. */
  export const base64: string;
}
