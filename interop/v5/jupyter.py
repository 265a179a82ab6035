"""Drives a kernel with Jupyter's own client, and prints what comes of it, a line each.

    python3 jupyter.py node [its arguments …] kernel.js

What is printed depends on no time and no port, so that two kernels can be compared line by line.
"""
import sys
import time

from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpec

SECONDS = 30


class Manager(KernelManager):
    """A kernel that is not installed."""

    command = []

    @property
    def kernel_spec(self):
        return KernelSpec(argv=[*self.command, "{connection_file}"], display_name="kernel", language="javascript")


def run(client, code, answer=None):
    """Runs a cell; returns what it printed, by stream, and what else came, in the order in which it came."""
    seen = []
    printed = {}
    request = client.execute(code, allow_stdin=answer is not None)
    if answer is not None:
        question = client.get_stdin_msg(timeout=SECONDS)
        seen.append(("asked", question["content"]["prompt"]))
        client.input(answer)
    while True:
        message = client.get_iopub_msg(timeout=SECONDS)
        if message["parent_header"].get("msg_id") != request:
            continue
        content = message["content"]
        kind = message["msg_type"]
        if kind == "status" and content["execution_state"] == "idle":
            break
        if kind == "stream":
            printed[content["name"]] = printed.get(content["name"], "") + content["text"]
        elif kind in ("execute_result", "display_data"):
            seen.append((kind, content["data"].get("text/plain")))
        elif kind == "error":
            seen.append((kind, content["ename"], content["evalue"]))
    reply = client.get_shell_msg(timeout=SECONDS)
    while reply["parent_header"].get("msg_id") != request:
        reply = client.get_shell_msg(timeout=SECONDS)
    return [*sorted(printed.items()), *seen, reply["content"]["status"]]


def short(outcome):
    text = repr(outcome)
    return text if len(text) < 200 else f"{text[:60]}… {len(text)} characters"


def main():
    Manager.command = sys.argv[1:]
    manager = Manager()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=SECONDS)
        info = client.kernel_info(reply=True, timeout=SECONDS)["content"]
        print("language:", info["language_info"]["name"], info["protocol_version"])
        for code in (
            "6 * 7",
            "console.log('out'); console.error('err'); 'result'",
            "var kept = [1, 2, 3]; kept.map(x => x * x)",
            "kept.length",
            "throw new TypeError('thrown')",
            "]",
            "new Promise(resolve => setTimeout(() => resolve('later'), 50))",
            "$$.async(); setTimeout(() => { console.log('tick'); $$.done('done'); }, 20);",
            "for (var i = 0; i < 200; i++) console.log(i)",
            "'x'.repeat(1 << 20)",
            "console.log('\\u00fc\\u20ac\\u{1f600}')",
        ):
            print(short(code), "->", short(run(client, code)))
        print("asks ->", short(run(client, "$$.input({ prompt: 'Who? ' }, (error, name) => $$.done('Hello ' + name))", "zmq")))
        same = [run(client, f"{i} + {i}") for i in range(100)]
        print("a hundred cells:", sum(outcome == [("execute_result", str(i + i)), "ok"] for i, outcome in enumerate(same)))
        # All at once: the client does not wait for the replies.
        requests = [client.execute(f"console.log({i})", store_history=False) for i in range(50)]
        replies = [client.get_shell_msg(timeout=SECONDS) for _ in requests]
        print("fifty at once:", [reply["parent_header"]["msg_id"] for reply in replies] == requests)
        print("completes:", client.complete("kept.le", reply=True, timeout=SECONDS)["content"]["matches"])
        print("inspects:", client.inspect("kept", reply=True, timeout=SECONDS)["content"]["found"])
        for code in ("1 +", "1 + 1"):
            client.is_complete(code)
            print("complete:", client.get_shell_msg(timeout=SECONDS)["content"]["status"])
        for _ in range(100):
            if client.hb_channel.is_beating():
                break
            time.sleep(0.05)
        print("beats:", client.hb_channel.is_beating())
        client.stop_channels()
        manager.restart_kernel(now=False)
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=SECONDS)
        print("after a restart ->", short(run(client, "typeof kept")))
        print("shut down:", client.shutdown(reply=True, timeout=SECONDS)["content"]["restart"])
        for _ in range(40):
            if not manager.is_alive():
                break
            time.sleep(0.05)
        print("ended:", not manager.is_alive())
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


main()
