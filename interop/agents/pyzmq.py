"""The agent for pyzmq. The protocol is in ../README.md.

One thread reads a command, runs it to its end and answers with one line. Every socket has a monitor, which is read only
by `wait` and `events`.
"""

import os
import select
import threading
import time
import zlib

import zmq
from zmq.utils.monitor import recv_monitor_message

LITERAL_FRAME_BYTES = 64
PATTERN_PERIOD = 251
POLL_MS = 5
IDLE_SECONDS = 0.02
ZAP_ATTEMPTS = 200
ZAP_ENDPOINT = "inproc://zeromq.zap.01"

TYPES = "PAIR PUB SUB REQ REP DEALER ROUTER PULL PUSH XPUB XSUB STREAM".split()

OPTIONS = {
    "routingId": zmq.ROUTING_ID,
    "linger": zmq.LINGER,
    "reconnectInterval": zmq.RECONNECT_IVL,
    "reconnectMaxInterval": zmq.RECONNECT_IVL_MAX,
    "maxMessageSize": zmq.MAXMSGSIZE,
    "sendHighWaterMark": zmq.SNDHWM,
    "receiveHighWaterMark": zmq.RCVHWM,
    "sendBufferSize": zmq.SNDBUF,
    "receiveBufferSize": zmq.RCVBUF,
    "immediate": zmq.IMMEDIATE,
    "ipv6": zmq.IPV6,
    "handshakeInterval": zmq.HANDSHAKE_IVL,
    "heartbeatInterval": zmq.HEARTBEAT_IVL,
    "heartbeatTimeout": zmq.HEARTBEAT_TIMEOUT,
    "heartbeatTimeToLive": zmq.HEARTBEAT_TTL,
    "mandatory": zmq.ROUTER_MANDATORY,
    "handover": zmq.ROUTER_HANDOVER,
    "probeRouter": zmq.PROBE_ROUTER,
    "correlate": zmq.REQ_CORRELATE,
    "relaxed": zmq.REQ_RELAXED,
    "conflate": zmq.CONFLATE,
    "noDrop": zmq.XPUB_NODROP,
    "invertMatching": zmq.INVERT_MATCHING,
    "manual": zmq.XPUB_MANUAL,
    "welcomeMessage": zmq.XPUB_WELCOME_MSG,
    "notify": zmq.STREAM_NOTIFY,
    "plainServer": zmq.PLAIN_SERVER,
    "plainUsername": zmq.PLAIN_USERNAME,
    "plainPassword": zmq.PLAIN_PASSWORD,
    "curveServer": zmq.CURVE_SERVER,
    "curvePublicKey": zmq.CURVE_PUBLICKEY,
    "curveSecretKey": zmq.CURVE_SECRETKEY,
    "curveServerKey": zmq.CURVE_SERVERKEY,
    "zapDomain": zmq.ZAP_DOMAIN,
}

EVENTS = {
    zmq.EVENT_ACCEPTED: "accept",
    zmq.EVENT_LISTENING: "bind",
    zmq.EVENT_CONNECTED: "connect",
    zmq.EVENT_CONNECT_DELAYED: "connect:delay",
    zmq.EVENT_CONNECT_RETRIED: "connect:retry",
    zmq.EVENT_CLOSED: "close",
    zmq.EVENT_DISCONNECTED: "disconnect",
    zmq.EVENT_HANDSHAKE_SUCCEEDED: "handshake",
    zmq.EVENT_ACCEPT_FAILED: "accept:error",
    zmq.EVENT_BIND_FAILED: "bind:error",
    zmq.EVENT_CLOSE_FAILED: "close:error",
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "handshake:error:auth",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "handshake:error:protocol",
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "handshake:error:other",
}

context = zmq.Context()
sockets = {}


class AgentError(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Held:
    """An open socket, its monitor, and how often each event was seen."""

    def __init__(self, kind):
        self.socket = context.socket(getattr(zmq, kind))
        self.monitor = self.socket.get_monitor_socket()
        self.seen = {}

    def read_events(self, ms):
        if not self.monitor.poll(ms):
            return
        while self.monitor.poll(0):
            event = recv_monitor_message(self.monitor)["event"]
            name = EVENTS.get(int(event))
            if name is not None:
                self.seen[name] = self.seen.get(name, 0) + 1

    def close(self):
        self.socket.disable_monitor()
        self.socket.close()


def poke():
    """libzmq takes up new connections, and ends old ones, only while the application calls it: so an idle agent calls."""
    for held in sockets.values():
        held.socket.getsockopt(zmq.EVENTS)


# ---- words


def unhex(word):
    return bytes.fromhex(word[1:])


def pattern(size, seed):
    period = bytes((index + seed) % 256 for index in range(PATTERN_PERIOD))
    return (period * (size // PATTERN_PERIOD + 1))[:size]


def parse_frame(word):
    if word[0] == "x":
        return unhex(word)
    size, seed = word[1:].split(":")
    return pattern(int(size), int(seed))


def answer_frame(frame):
    if len(frame) <= LITERAL_FRAME_BYTES:
        return "x" + frame.hex()
    return f"c{len(frame)}:{zlib.crc32(frame):08x}"


def numbered_body(tag, number, size):
    return f"{tag}:{number:08d}:".ljust(size, ".").encode()


def topic_name(prefix, number):
    return f"{prefix}{number:05d}".encode()


def set_options(socket, words):
    for word in words:
        name, text = word.split("=", 1)
        if name not in OPTIONS:
            raise AgentError("EUNSUPPORTED", f"option {name}")
        if text in ("true", "false"):
            value = int(text == "true")
        else:
            value = unhex(text) if text[0] == "x" else int(text)
        socket.setsockopt(OPTIONS[name], value)


# ---- messages


def receive_up_to(socket, count, ms, take):
    socket.rcvtimeo = ms
    received = 0
    try:
        while received < count:
            take(socket.recv_multipart())
            received += 1
    except zmq.Again:
        pass
    return received


def send_up_to(socket, count, ms, body):
    socket.sndtimeo = ms
    sent = 0
    try:
        while sent < count:
            socket.send(body(sent))
            sent += 1
    except zmq.Again:
        pass
    return sent


def count_body(body, tags):
    tag, colon, rest = body.partition(b":")
    name = tag.decode("latin1") if colon else "?"
    number = int(rest[:8]) if colon else 0
    entry = tags.get(name)
    if entry is None:
        tags[name] = [1, number, number, 0]
        return
    if number != entry[2] + 1:
        entry[3] += 1
    entry[0] += 1
    entry[2] = number


class Zap(threading.Thread):
    """A ZAP handler that knows one set of credentials."""

    def __init__(self, kind, credentials):
        super().__init__(daemon=True)
        self.kind = kind.upper().encode()
        self.credentials = credentials
        self.runs = True
        self.socket = context.socket(zmq.REP)
        # The handler before it may still be on its way out.
        for attempt in range(ZAP_ATTEMPTS):
            try:
                self.socket.bind(ZAP_ENDPOINT)
                return
            except zmq.ZMQError as error:
                if error.errno != zmq.EADDRINUSE or attempt == ZAP_ATTEMPTS - 1:
                    raise
                time.sleep(POLL_MS / 1000)

    def run(self):
        while self.runs:
            if not self.socket.poll(20):
                continue
            frames = self.socket.recv_multipart()
            good = frames[5] == self.kind and frames[6:] == self.credentials
            verdict = [b"200", b"OK", b"user", b""] if good else [b"400", b"No", b"", b""]
            self.socket.send_multipart(frames[:2] + verdict)
        self.socket.close(0)

    def stop(self):
        self.runs = False
        self.join()


zap_handler = None


def stop_zap():
    global zap_handler
    if zap_handler is not None:
        zap_handler.stop()
    zap_handler = None


# ---- commands


def hello():
    has = "plain" + (",curve" if zmq.has("curve") else "")
    versions = [f"version={zmq.__version__}", f"library={zmq.zmq_version()}"]
    return ["impl=pyzmq", *versions, "types=" + ",".join(TYPES), f"has={has}"]


def open_socket(name, kind, *options):
    if kind not in TYPES:
        raise AgentError("EUNSUPPORTED", f"type {kind}")
    sockets[name] = Held(kind)
    set_options(sockets[name].socket, options)


def bind(name, endpoint):
    socket = sockets[name].socket
    socket.bind(endpoint)
    return [socket.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode()]


def subscribe(name, *topics):
    for topic in topics:
        sockets[name].socket.setsockopt(zmq.SUBSCRIBE, unhex(topic))


def unsubscribe(name, *topics):
    for topic in topics:
        sockets[name].socket.setsockopt(zmq.UNSUBSCRIBE, unhex(topic))


def subscribe_sequence(name, prefix, first, count):
    for index in range(int(count)):
        sockets[name].socket.setsockopt(zmq.SUBSCRIBE, topic_name(prefix, int(first) + index))


def send(name, ms, message):
    socket = sockets[name].socket
    socket.sndtimeo = int(ms)
    socket.send_multipart([parse_frame(word) for word in message.split(",")])


def receive(name, count, ms):
    words = []
    received = receive_up_to(
        sockets[name].socket, int(count), int(ms), lambda frames: words.append(",".join(map(answer_frame, frames)))
    )
    return [received, *words]


def stream(name, tag, first, count, size, ms):
    body = lambda index: numbered_body(tag, int(first) + index, int(size))
    return [send_up_to(sockets[name].socket, int(count), int(ms), body)]


def burst(name, tag, first, count, size):
    return [*stream(name, tag, first, count, size, -1), 1]


def send_sequence(name, prefix, first, count, ms):
    body = lambda index: topic_name(prefix, int(first) + index)
    return [send_up_to(sockets[name].socket, int(count), int(ms), body)]


def count_messages(name, count, ms):
    tags = {}
    received = receive_up_to(sockets[name].socket, int(count), int(ms), lambda frames: count_body(frames[-1], tags))
    return [received, *(f"{tag}={'/'.join(map(str, entry))}" for tag, entry in tags.items())]


def ask(name, tag, first, count, size, ms):
    socket = sockets[name].socket
    socket.sndtimeo = socket.rcvtimeo = int(ms)
    for index in range(int(count)):
        body = numbered_body(tag, int(first) + index, int(size))
        socket.send(body)
        if socket.recv_multipart() != [body]:
            raise AgentError("EMISMATCH", f"answer to number {int(first) + index}")
    return [count]


def answer(name, count, ms):
    socket = sockets[name].socket
    socket.sndtimeo = socket.rcvtimeo = int(ms)
    answered = 0
    try:
        while answered < int(count):
            socket.send_multipart(socket.recv_multipart())
            answered += 1
    except zmq.Again:
        pass
    return [answered]


def wait(name, event, count, ms):
    held = sockets[name]
    end = time.monotonic() + int(ms) / 1000
    held.read_events(0)
    while held.seen.get(event, 0) < int(count) and time.monotonic() < end:
        poke()
        held.read_events(POLL_MS)
    return [held.seen.get(event, 0)]


def events(name):
    sockets[name].read_events(0)
    return [f"{event}={times}" for event, times in sockets[name].seen.items()]


def zap(kind, *credentials):
    global zap_handler
    stop_zap()
    if kind != "off":
        zap_handler = Zap(kind, [unhex(word) for word in credentials])
        zap_handler.start()


def reset():
    for held in sockets.values():
        held.socket.linger = 0
        held.close()
    sockets.clear()
    stop_zap()


COMMANDS = {
    "hello": hello,
    "open": open_socket,
    "set": lambda name, *options: set_options(sockets[name].socket, options),
    "bind": bind,
    "unbind": lambda name, endpoint: sockets[name].socket.unbind(endpoint),
    "connect": lambda name, endpoint: sockets[name].socket.connect(endpoint) and None,
    "disconnect": lambda name, endpoint: sockets[name].socket.disconnect(endpoint),
    "subscribe": subscribe,
    "unsubscribe": unsubscribe,
    "subscribeseq": subscribe_sequence,
    "send": send,
    "receive": receive,
    "stream": stream,
    "burst": burst,
    "sendseq": send_sequence,
    "count": count_messages,
    "ask": ask,
    "answer": answer,
    "wait": wait,
    "events": events,
    "zap": zap,
    "close": lambda name: sockets.pop(name).close(),
    "reset": reset,
}


def obey(verb, words):
    try:
        if verb not in COMMANDS:
            raise AgentError("EUNSUPPORTED", f"command {verb}")
        return " ".join(["ok", *map(str, COMMANDS[verb](*words) or [])])
    except AgentError as error:
        return f"error {error.code} {error}"
    except zmq.ZMQError as error:
        return f"error {zmq.Errno(error.errno).name} {error.strerror}"
    except Exception as error:
        return f"error EFAILED {type(error).__name__}: {error}".replace("\n", " ")


def lines():
    """The lines of stdin, and what an idle agent does meanwhile."""
    rest = b""
    while True:
        while not select.select([0], [], [], IDLE_SECONDS)[0]:
            poke()
        chunk = os.read(0, 65536)
        if not chunk:
            return
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole


for line in lines():
    number, verb, *words = line.decode().split()
    if verb == "quit":
        break
    print(number, obey(verb, words), flush=True)
# The context is not terminated: what lingers must not hold up the end.
os._exit(0)
