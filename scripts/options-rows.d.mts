/** Types of the rows of options for the script that writes their page, which bundles the sources by itself. */
export interface Row {
  readonly name: string;
  readonly libzmq: string;
  readonly kind: string;
  readonly initial?: unknown;
  readonly holders: "every" | readonly number[];
  readonly access?: "rw" | "r" | "w";
  readonly acts: string;
  readonly idle?: string;
  readonly unit?: string;
}

export interface Rows {
  readonly OPTIONS: Row[];
  readonly CONTEXT_OPTIONS: Row[];
  readonly SOCKET_TYPES: Record<string, number>;
  rangeOf(row: Row): string;
  initialOf(row: Row, type: number, context: { blocky: boolean; ipv6: boolean }): unknown;
}
