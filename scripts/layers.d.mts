/** Types of layers.mjs for the tests, which are checked without looking into plain JavaScript. */
export function checkLayers(src: string): Promise<string[]>;
export function layerTable(src: string): string;
