"""
The programs of the benchmarks for pyzmq: python3 program.py <role> name=value …

The same roles, commands and events as ../programs and ../c, see there. A role that is not here is a gap in the table.
"""

import json
import resource
import select
import sys
import threading
import time

import zmq

CLOCK_EVERY_BYTES = 262144
CLOCK_EVERY_MESSAGES = 256
QUANTILES = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1]


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def commands():
    for line in iter(sys.stdin.readline, ""):
        name, _, argument = line.strip().partition(" ")
        yield name, float(argument) if argument else 0.0


def usage_now():
    return resource.getrusage(resource.RUSAGE_SELF)


def cpu_ms(used):
    return (used.ru_utime + used.ru_stime) * 1e3


def usage(start):
    used = usage_now()
    faults = used.ru_minflt - start.ru_minflt
    return {"cpuMs": round(cpu_ms(used) - cpu_ms(start)), "faults": faults, "peakKb": used.ru_maxrss}


def now_ms():
    return time.perf_counter() * 1e3


def clock_every(size, receivers=1):
    return max(1, min(CLOCK_EVERY_BYTES // size, CLOCK_EVERY_MESSAGES // receivers))


def send_stream(socket, payload, duration, every):
    stop = now_ms() + duration
    copy = len(payload) < 65536
    count = 0
    while True:
        for _ in range(every):
            socket.send(payload, copy=copy)
        count += every
        if now_ms() >= stop:
            break
    socket.send(b"")
    return count


def receive_stream(socket, least):
    count = total = 0
    start = 0.0
    while True:
        size = len(socket.recv())
        if size >= least:
            if count == 0:
                start = now_ms()
            count += 1
            total += size
        elif size == 0:
            return {"count": count, "bytes": total, "start": start, "end": now_ms()}


def endpoint(socket):
    return socket.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode()


def puller(context, options):
    pull = context.socket(zmq.PULL)
    pull.setsockopt(zmq.RCVHWM, int(options.get("mark", 1000)))
    pull.bind(options["address"])
    tell("ready", address=endpoint(pull))
    for name, _ in commands():
        if name == "run":
            at_start = usage_now()
            tell("done", **receive_stream(pull, 1), **usage(at_start))


def pusher(context, options):
    push = context.socket(zmq.PUSH)
    push.setsockopt(zmq.SNDHWM, int(options.get("mark", 1000)))
    push.connect(options["address"])
    payload = b"A" * int(options["size"])
    tell("ready")
    for name, duration in commands():
        if name == "run":
            at_start = usage_now()
            tell("done", count=send_stream(push, payload, duration, clock_every(len(payload))), **usage(at_start))


def replier(context, options):
    rep = context.socket(zmq.REP)
    rep.bind(options["address"])
    tell("ready", address=endpoint(rep))
    threading.Thread(target=end_with_input, daemon=True).start()
    while True:
        rep.send(rep.recv())


def end_with_input():
    import os

    for _ in sys.stdin:
        pass
    os._exit(0)


def requester(context, options):
    req = context.socket(zmq.REQ)
    req.connect(options["address"])
    payload = b"A" * int(options["size"])
    tell("ready")
    for name, duration in commands():
        if name != "run":
            continue
        at_start = usage_now()
        times = []
        before = now_ms()
        stop = before + duration
        while before < stop:
            req.send(payload)
            req.recv()
            now = now_ms()
            times.append((now - before) * 1e3)
            before = now
        used = usage(at_start)
        times.sort()
        at = [times[int((len(times) - 1) * share)] for share in QUANTILES]
        mean = sum(times) / len(times)
        tell("done", count=len(times), mean=mean, p50=at[3], p99=at[6], max=at[8], quantiles=at, **used)


def publisher(context, options):
    pub = context.socket(zmq.PUB)
    pub.setsockopt(zmq.XPUB_NODROP, 1)
    pub.bind(options["address"])
    payload = b"A" * int(options["size"])
    every = clock_every(len(payload), int(options.get("receivers", 1)))
    tell("ready", address=endpoint(pub))
    for name, duration in commands():
        if name == "sync":
            pub.send(b"A")
            while not select.select([sys.stdin], [], [], 0.005)[0]:
                pub.send(b"A")
            tell("done")
        elif name == "run":
            at_start = usage_now()
            tell("done", count=send_stream(pub, payload, duration, every), **usage(at_start))


def subscriber(context, options):
    sub = context.socket(zmq.SUB)
    sub.setsockopt(zmq.SUBSCRIBE, b"")
    sub.connect(options["address"])
    tell("ready")
    for name, _ in commands():
        if name == "sync":
            sub.recv()
            tell("done")
        elif name == "run":
            at_start = usage_now()
            tell("done", **receive_stream(sub, 2), **usage(at_start))


ROLES = {one.__name__: one for one in (puller, pusher, replier, requester, publisher, subscriber)}

if __name__ == "__main__":
    given = dict(argument.partition("=")[::2] for argument in sys.argv[2:])
    ROLES[sys.argv[1]](zmq.Context(), given)
