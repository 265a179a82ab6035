/** A kernel by itself, in a memory of its own. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

/** Node's types do not describe it. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (size: { initial: number }) => Memory;
    Module: new (code: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
  };
};

export function kernelMemory<T>(code: Uint8Array): { memory: Buffer; run: T } {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { "": { memory } });
  return { memory: Buffer.from(memory.buffer), run: exports.run as T };
}
