/**
 * Charts of a full run, by Vega-Lite, as SVG and PNG, in a light and a dark form. Axes of rates, sizes and times are
 * logarithmic: implementations differ by factors, and a linear axis shows the largest only.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { medianOf, processorTime, rangeOf, sizeName } from "./report.mjs";
import { median, QUANTILES } from "./statistics.mjs";

/**
 * @typedef {import("./rounds.mjs").Result} Result
 * @typedef {{ name: string, title: string, spec: any }} Chart
 */

/** Colours that differ for colour-blind eyes too, on white and on a dark ground. */
const LOOKS = {
  light: {
    ground: "#ffffff",
    ink: "#1f2328",
    faint: "#d8dee4",
    colours: {
      zmtp: "#d1242f",
      "zmtp-many": "#f0883e",
      native: "#0969da",
      "libzmq-c": "#1a7f37",
      pyzmq: "#8250df",
      net: "#6e7781",
    },
  },
  dark: {
    ground: "#0d1117",
    ink: "#e6edf3",
    faint: "#30363d",
    colours: {
      zmtp: "#ff7b72",
      "zmtp-many": "#ffa657",
      native: "#79c0ff",
      "libzmq-c": "#56d364",
      pyzmq: "#d2a8ff",
      net: "#9da7b1",
    },
  },
};

/** What each is called in a legend. */
const NAMES = {
  zmtp: "zmtp",
  "zmtp-many": "zmtp, sendMany/receiveMany",
  native: "native binding",
  "libzmq-c": "libzmq from C",
  pyzmq: "pyzmq",
  net: "raw net, no protocol",
};

const ORDER = /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES));
const PNG_WIDTH = 1600;

/**
 * Writes every chart there is data for. Returns what was written, to be shown.
 *
 * @param {Result[]} results
 * @param {string} folder
 * @returns {Promise<{ name: string, title: string }[]>}
 */
export async function writeCharts(results, folder) {
  mkdirSync(folder, { recursive: true });
  const charts = [
    bySize(results, "throughput-tcp", "PUSH/PULL over tcp: messages a second by size"),
    bySize(results, "throughput-ipc", "PUSH/PULL over ipc: messages a second by size"),
    distribution(results),
    fanOut(results),
    processor(results),
  ].filter((chart) => chart !== undefined);
  for (const chart of charts) {
    for (const look of /** @type {const} */ (["light", "dark"])) {
      const svg = await draw(chart, LOOKS[look]);
      const base = join(folder, look === "light" ? chart.name : `${chart.name}-dark`);
      writeFileSync(`${base}.svg`, svg);
      const png = new Resvg(svg, {
        fitTo: { mode: "width", value: PNG_WIDTH },
        font: { defaultFontFamily: "DejaVu Sans" },
      });
      writeFileSync(`${base}.png`, png.render().asPng());
    }
  }
  return charts.map(({ name, title }) => ({ name, title }));
}

/**
 * @param {Result[]} results
 * @param {string} name Of the chart that results are points of.
 */
function points(results, name) {
  return results
    .filter(({ scenario }) => scenario.chart?.name === name)
    .flatMap((result) =>
      ORDER.flatMap((implementation) => {
        const value = medianOf(result, implementation);
        if (value === undefined) return [];
        const { min, max } = rangeOf(result, implementation);
        return [{ x: /** @type {any} */ (result.scenario.chart).x, value, min, max, who: NAMES[implementation] }];
      }),
    );
}

/** @param {Result[]} results @param {string} name @param {string} title @returns {Chart | undefined} */
function bySize(results, name, title) {
  const values = points(results, name);
  if (values.length === 0) return undefined;
  const sizes = [...new Set(values.map(({ x }) => x))].sort((one, two) => one - two);
  return {
    name,
    title,
    spec: lines(values, { sizes, x: "size of a message", y: "messages a second", label: sizeLabels(sizes) }),
  };
}

/** @param {Result[]} results @returns {Chart | undefined} */
function fanOut(results) {
  const values = points(results, "fan-out");
  if (values.length === 0) return undefined;
  const sizes = [...new Set(values.map(({ x }) => x))].sort((one, two) => one - two);
  return {
    name: "fan-out",
    title: "PUB to many SUB, 10 B: deliveries a second by subscribers",
    spec: lines(values, { sizes, x: "subscribers", y: "deliveries a second", label: "datum.label" }),
  };
}

/** A Vega expression that names the sizes of an axis. @param {number[]} sizes */
function sizeLabels(sizes) {
  return sizes.reduceRight(
    (rest, size) => `datum.value === ${size} ? ${JSON.stringify(sizeName(size))} : ${rest}`,
    '""',
  );
}

/**
 * @param {object[]} values
 * @param {{ sizes: number[], x: string, y: string, label: string }} axes
 */
function lines(values, { sizes, x, y, label }) {
  const xAxis = {
    field: "x",
    type: "quantitative",
    scale: { type: "log", nice: false },
    title: x,
    axis: { values: sizes, labelExpr: label },
  };
  return {
    data: { values },
    layer: [
      {
        mark: { type: "rule", strokeWidth: 2, opacity: 0.5 },
        encoding: { x: xAxis, y: { field: "min", ...logY(y) }, y2: { field: "max" }, color: who() },
      },
      {
        mark: { type: "line", point: { filled: true, size: 45 }, strokeWidth: 2 },
        encoding: { x: xAxis, y: { field: "value", ...logY(y) }, color: who() },
      },
    ],
  };
}

/** @param {string} title */
function logY(title) {
  return { type: "quantitative", scale: { type: "log", nice: false }, title, axis: logAxis("~s") };
}

/** A line for each of 1, 2, 5 of a decade: nine of them make a fence. @param {string} format */
function logAxis(format) {
  const steps = Array.from({ length: 14 }, (_, at) => at - 3).flatMap((power) =>
    [1, 2, 5].map((step) => step * 10 ** power),
  );
  return { format, values: steps, labelOverlap: "greedy" };
}

function who() {
  return { field: "who", type: "nominal", title: null, sort: null };
}

/** @param {Result[]} results @returns {Chart | undefined} */
function distribution(results) {
  const result = results.find(({ scenario }) => scenario.id === "req-rep-1");
  if (result === undefined) return undefined;
  const values = ORDER.flatMap((implementation) => {
    const taken = (result.samples.get(implementation) ?? []).filter(({ quantiles }) => Array.isArray(quantiles));
    if (taken.length === 0 || result.gaps.has(implementation)) return [];
    return QUANTILES.slice(0, -1).map((at, index) => ({
      // A quantile's distance from 1, so that 90 %, 99 % and 99.9 % are as far apart as they matter.
      rest: 1 / (1 - at),
      value: median(taken.map(({ quantiles }) => /** @type {number[]} */ (quantiles)[index])),
      who: NAMES[implementation],
    }));
  });
  if (values.length === 0) return undefined;
  return {
    name: "latency",
    title: "REQ/REP over tcp, 1 B: distribution of round-trip times",
    spec: {
      data: { values },
      mark: { type: "line", point: { filled: true, size: 45 }, strokeWidth: 2 },
      encoding: {
        x: {
          field: "rest",
          type: "quantitative",
          scale: { type: "log" },
          title: "so many of all round trips took no longer",
          axis: {
            values: [2, 4, 10, 100, 1000],
            labelExpr:
              "datum.value === 2 ? '50 %' : datum.value === 4 ? '75 %' : datum.value === 10 ? '90 %' : datum.value === 100 ? '99 %' : '99.9 %'",
          },
        },
        y: { field: "value", ...logY("microseconds") },
        color: who(),
      },
    },
  };
}

/** @param {Result[]} results @returns {Chart | undefined} */
function processor(results) {
  const wanted = [
    "push-pull-10",
    "push-pull-1024",
    "push-pull-65536",
    "pub-sub-100",
    "push-pull-1024-curve",
    "inproc-10",
  ];
  const values = results
    .filter(({ scenario }) => wanted.includes(scenario.id))
    .flatMap((result) =>
      ORDER.flatMap((implementation) => {
        const taken = (result.samples.get(implementation) ?? []).filter(({ count }) => Number(count) > 0);
        if (taken.length === 0 || result.gaps.has(implementation)) return [];
        return [{ what: result.scenario.title, value: median(taken.map(processorTime)), who: NAMES[implementation] }];
      }),
    )
    .filter(({ value }) => value > 0);
  if (values.length === 0) return undefined;
  return {
    name: "processor",
    title: "Processor time of both ends for each message",
    spec: {
      data: { values },
      height: 280,
      layer: [
        {
          mark: { type: "line", strokeWidth: 1, opacity: 0.5 },
          encoding: { y: what(), x: time(), detail: { field: "what" }, color: { value: "#8b949e" } },
        },
        {
          mark: { type: "point", filled: true, size: 90, opacity: 1 },
          encoding: { y: what(), x: time(), color: who() },
        },
      ],
    },
  };
}

function what() {
  return { field: "what", type: "nominal", title: null, sort: null, axis: { labelLimit: 240, grid: true } };
}

function time() {
  return {
    field: "value",
    type: "quantitative",
    scale: { type: "log" },
    title: "microseconds a message (less is better)",
    axis: logAxis("~g"),
  };
}

/**
 * @param {Chart} chart
 * @param {typeof LOOKS.light} look
 * @returns {Promise<string>} SVG.
 */
async function draw({ title, spec }, { ground, ink, faint, colours }) {
  const present = ORDER.filter((one) => spec.data.values.some((/** @type {any} */ value) => value.who === NAMES[one]));
  const full = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: 620,
    height: 340,
    padding: 16,
    background: ground,
    title: { text: title, anchor: "start", fontSize: 15, offset: 14 },
    ...spec,
    config: {
      font: "DejaVu Sans, Verdana, sans-serif",
      title: { color: ink },
      axis: {
        labelColor: ink,
        titleColor: ink,
        gridColor: faint,
        domainColor: faint,
        tickColor: faint,
        labelFontSize: 11,
        titleFontSize: 12,
        titleFontWeight: "normal",
        titlePadding: 10,
      },
      legend: {
        labelColor: ink,
        labelFontSize: 12,
        symbolStrokeWidth: 3,
        symbolOpacity: 1,
        orient: "bottom",
        columns: 3,
        columnPadding: 24,
        offset: 16,
        labelLimit: 260,
      },
      view: { stroke: faint },
      range: { category: present.map((one) => colours[one]) },
    },
  };
  scaleColours(
    full,
    present.map((one) => NAMES[one]),
  );
  const view = new View(parse(compile(full).spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

/** The order of the legend, the same in every layer. @param {any} spec @param {string[]} domain */
function scaleColours(spec, domain) {
  for (const { encoding } of spec.layer ?? [spec]) {
    if (encoding.color?.field === "who") encoding.color.scale = { domain };
  }
}
