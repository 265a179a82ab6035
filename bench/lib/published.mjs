/**
 * What was published with the five measurements: other machines, other years. It stands beside our figures as history, and is
 * never compared with them.
 */

/**
 * @typedef {object} Published
 * @property {string} title
 * @property {string} text What is measured.
 * @property {[what: string, figure: string][]} figures As published.
 * @property {string[]} scenarios Ours, by id.
 */

/** @type {Published[]} */
export const PUBLISHED = [
  {
    title: "1. Hello World and its timing",
    text: "REP and REQ, `hwserver_timing` and one to three `hwclient_timing` at once; the sum of the clients.",
    figures: [
      ["Linux (Python), 1 client", "13,568 messages/s"],
      ["Linux (Python), 2 clients", "14,172 messages/s"],
      ["Linux (Python), 3 clients", "13,366 messages/s"],
      ["Linux (C), 1 client", "13,642 messages/s"],
      ["Raspberry Pi 2 serves a Linux desktop, 1 client", "3,151 messages/s"],
      ["Raspberry Pi 2 both, 1 client", "2,032 messages/s"],
      ["Raspberry Pi 2 serves a Linux desktop, 3 clients", "1,955 messages/s"],
    ],
    scenarios: ["seed1-hello-1", "seed1-hello-2", "seed1-hello-3"],
  },
  {
    title: "2. Latency, throughput and poll",
    text: "`latency`, `throughput` and `poll`, both ends in one process. Latency is one way, half a round trip.",
    figures: [
      ["latency, desktop of 2007, Ruby", "110 µs"],
      ["latency, desktop of 2007, C", "88 µs"],
      ["throughput, Ruby", "150 k messages/s, 10 GB of memory for 10 M messages"],
      ["throughput, C", "260 k messages/s"],
    ],
    scenarios: ["seed2-latency", "seed2-throughput", "seed2-poll"],
  },
  {
    title: "3. Round trip and flood",
    text: "Four processes in a ring of PUB/SUB links; every hub adds one to the number. Nothing is lost.",
    figures: [
      ["laptop, DDS, round trip", "1.36–1.69 ms"],
      ["laptop, DDS, flood of 1 k / 10 k / 100 k / 1000 k", "0.6 / 4.6 / 56.1 / 578.5 s"],
      ["Raspberry Pi 3, DDS, round trip", "8.57–8.78 ms"],
      ["Raspberry Pi 3, DDS, flood", "3.2 / 31.6 / 321.5 / 3480.1 s"],
      ["laptop and Pi, DDS, round trip", "7.60–8.13 ms"],
      ["laptop and Pi, DDS, flood", "2.7 / 24.7 / 235.5 / 2291.7 s"],
    ],
    scenarios: [
      "seed3-round-trip",
      "seed3-flood-1000",
      "seed3-flood-10000",
      "seed3-flood-100000",
      "seed3-flood-1000000",
    ],
  },
  {
    title: "4. What the event loop costs",
    text: "A million callbacks without delay, one after the other, wall time; and system calls of both ends, counted by strace.",
    figures: [
      ["a million zero-delay timers, two C libraries", "2.27 s and 0.94 s"],
      ["lesson", "one clock call and one `epoll_wait` too many per turn is measurable"],
    ],
    scenarios: ["seed4-callbacks", "seed4-syscalls-round-trip", "seed4-syscalls-stream"],
  },
  {
    title: "5. PUSH/PULL bytes a second",
    text: "Messages of 10 MB with the sender's timestamp, each with another payload, on one network stack and between two (network namespaces).",
    figures: [
      ["Ubuntu, Linux containers, tcp / ipc", "1.4 / 1.6 GiB/s"],
      ["Windows with WSL2, tcp / ipc", "1.5 / 1.5 GiB/s"],
      ["Windows containers, tcp", "154 MiB/s"],
      ["Windows, no container, tcp", "604 MiB/s"],
    ],
    scenarios: ["seed5-tcp", "seed5-ipc", "seed5-tcp-namespaces", "seed5-ipc-namespaces"],
  },
];
