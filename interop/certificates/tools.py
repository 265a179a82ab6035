"""The other side of check.mjs: makes certificates as pyzmq and czmq make them, and serves or asks with them.

    tools.py has                          what is there: pyzmq, czmq
    tools.py make-pyzmq FOLDER NAME       writes NAME.key and NAME.key_secret; prints both keys
    tools.py make-czmq FOLDER NAME        writes NAME and NAME_secret, with metadata; prints both keys
    tools.py public SECRET                the public key of a secret one, by libzmq
    tools.py store-czmq FOLDER KEY...     which of the keys czmq's store finds in FOLDER
    tools.py serve-pyzmq FOLDER SERVER    a REP behind pyzmq's authenticator with the public certificates of FOLDER
    tools.py serve-czmq FOLDER SERVER     the same behind czmq's zauth
    tools.py ask CLIENT SERVERKEY ADDRESS a REQ with a certificate file asks once

Servers print their address, and end with stdin. The answers are lines of words.
"""

import ctypes
import os
import sys
import threading

import zmq
import zmq.auth
from zmq.auth.thread import ThreadAuthenticator

ASK_MS = 1500


def czmq():
    library = ctypes.CDLL("libczmq.so.4")
    for name in ("zcert_new", "zcert_load", "zcertstore_new", "zcertstore_lookup", "zsock_new", "zactor_new"):
        getattr(library, name).restype = ctypes.c_void_p
    for name in ("zcert_public_txt", "zcert_secret_txt", "zsock_endpoint"):
        getattr(library, name).restype = ctypes.c_char_p
    return library


def has():
    words = ["pyzmq"]
    try:
        czmq()
        words.append("czmq")
    except OSError:
        pass
    print(*words)


def make_pyzmq(folder, name):
    public_file, secret_file = zmq.auth.create_certificates(folder, name, metadata={"tool": "pyzmq"})
    public, secret = zmq.auth.load_certificate(secret_file)
    print(public.decode(), secret.decode(), public_file, secret_file)


def make_czmq(folder, name):
    library = czmq()
    certificate = ctypes.c_void_p(library.zcert_new())
    library.zcert_set_meta(certificate, b"name", name.encode())
    library.zcert_set_meta(certificate, b"email", b"%s", b"someone@example.org")
    path = os.path.join(folder, name)
    if library.zcert_save(certificate, path.encode()) != 0:
        raise SystemExit("zcert_save failed")
    public = library.zcert_public_txt(certificate).decode()
    print(public, library.zcert_secret_txt(certificate).decode(), path, path + "_secret")


def store_czmq(folder, *keys):
    library = czmq()
    store = ctypes.c_void_p(library.zcertstore_new(folder.encode()))
    print(*(key for key in keys if library.zcertstore_lookup(store, key.encode())))


def serve_pyzmq(folder, server):
    context = zmq.Context()
    authenticator = ThreadAuthenticator(context)
    authenticator.start()
    authenticator.configure_curve(domain="*", location=folder)
    public, secret = zmq.auth.load_certificate(server)
    socket = context.socket(zmq.REP)
    socket.curve_publickey, socket.curve_secretkey, socket.curve_server = public, secret, True
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    print(f"tcp://127.0.0.1:{port}", flush=True)
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    poller.register(0, zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        if 0 in ready:
            os._exit(0)
        socket.send(b"served " + socket.recv())


def serve_czmq(folder, server):
    library = czmq()
    zauth = ctypes.cast(library.zauth, ctypes.c_void_p)
    actor = ctypes.c_void_p(library.zactor_new(zauth, None))
    library.zstr_sendx(actor, b"CURVE", folder.encode(), None)
    library.zsock_wait(actor)
    certificate = ctypes.c_void_p(library.zcert_load(server.encode()))
    socket = ctypes.c_void_p(library.zsock_new(zmq.REP))
    library.zcert_apply(certificate, socket)
    library.zsock_set_zap_domain(socket, b"global")
    library.zsock_set_curve_server(socket, 1)
    library.zsock_bind(socket, b"tcp://127.0.0.1:*")
    print(library.zsock_endpoint(socket).decode(), flush=True)
    library.zsock_set_rcvtimeo(socket, 50)
    library.zstr_recv.restype = ctypes.c_char_p
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        text = library.zstr_recv(socket)
        if text is not None:
            library.zstr_send(socket, b"served " + text)


def ask(client, server_key, address):
    context = zmq.Context()
    public, secret = zmq.auth.load_certificate(client)
    socket = context.socket(zmq.REQ)
    socket.linger = 0
    socket.curve_publickey, socket.curve_secretkey = public, secret
    socket.curve_serverkey = server_key.encode()
    socket.rcvtimeo = socket.sndtimeo = ASK_MS
    socket.connect(address)
    try:
        socket.send(b"hello")
        print(socket.recv().decode())
    except zmq.Again:
        print("no answer")


COMMANDS = {
    "has": has,
    "store-czmq": store_czmq,
    "make-pyzmq": make_pyzmq,
    "make-czmq": make_czmq,
    "public": lambda secret: print(zmq.curve_public(secret.encode()).decode()),
    "serve-pyzmq": serve_pyzmq,
    "serve-czmq": serve_czmq,
    "ask": ask,
}
COMMANDS[sys.argv[1]](*sys.argv[2:])
