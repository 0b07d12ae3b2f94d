"""A netcode 1.02 client, and the attempts that a server must refuse.

    python3 client.py SCENARIO --server HOST:PORT --key HEX --protocol N --id N

Prints one JSON object and exits with 0 if the scenario went as it should.
Scenarios "open" and "replay" read a public token as hex from standard input.
"""

import argparse
import json
import math
import select
import socket
import struct
import sys
import time

import netcode as n


class Client:
    """One connection attempt with one token from one socket."""

    def __init__(self, token, server):
        self.token = n.parse_public(token)
        self.server = server
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((server[0], 0))
        self.sequence = 0
        self.index = None
        self.max_clients = None
        self.seen = set()
        self.replies = 0
        self.reply_sizes = []

    def close(self):
        self.socket.close()

    def request(self):
        t = self.token
        self.socket.sendto(
            n.request_packet(t["protocol_id"], t["expire"], t["nonce"], t["sealed"]),
            self.server,
        )

    def send(self, kind, body=b""):
        t = self.token
        packet = n.seal_packet(kind, body, t["protocol_id"], t["c2s"], self.sequence)
        self.sequence += 1
        self.socket.sendto(packet, self.server)
        return packet

    def receive(self, seconds):
        """The next packet of the server: (type, body), or None."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            b, source = self.socket.recvfrom(4096)
            if source != self.server:
                continue
            self.replies += 1
            self.reply_sizes.append(len(b))
            kind, sequence, body = n.open_packet(
                b, self.token["protocol_id"], self.token["s2c"]
            )
            if sequence in self.seen:
                raise RuntimeError("sequence %d used twice" % sequence)
            self.seen.add(sequence)
            return kind, body

    def repeat(self, send, wanted, seconds):
        """Sends ten times a second until a packet of a wanted type arrives."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            send()
            got = self.receive(0.1)
            while got is not None and got[0] not in wanted:
                got = self.receive(0.05)
            if got is not None:
                return got
        return None

    def connect(self, seconds=10.0):
        got = self.repeat(self.request, (n.CHALLENGE, n.DENIED), seconds)
        if got is None or got[0] == n.DENIED:
            return got and "denied"
        answer = got[1]
        got = self.repeat(
            lambda: self.send(n.RESPONSE, answer), (n.KEEP_ALIVE, n.DENIED), seconds
        )
        if got is None or got[0] == n.DENIED:
            return got and "denied"
        self.index, self.max_clients = struct.unpack("<II", got[1])
        self.keep_alive()
        return "connected"

    def keep_alive(self):
        self.send(n.KEEP_ALIVE, struct.pack("<II", self.index, self.max_clients))

    def echo(self, body, seconds=5.0):
        got = self.repeat(lambda: self.send(n.PAYLOAD, body), (n.PAYLOAD,), seconds)
        return got and got[1]

    def disconnect(self):
        for _ in range(10):
            self.send(n.DISCONNECT)


def next_second():
    """A token minted from the next full second on can not be older than the server."""
    return math.ceil(time.time())


def minted(args, **changes):
    settings = dict(
        key=args.key, protocol_id=args.protocol, client_id=args.id,
        addresses=[args.server], create=next_second(),
        user_data=b"hello from libsodium",
    )
    settings.update(changes)
    return n.mint(**settings)


def connected(args, token):
    client = Client(token, args.server)
    state = client.connect()
    if state != "connected":
        raise RuntimeError("a good token ended %s" % state)
    return client


def silent(token, server, client=None, seconds=0.6):
    """Asks for a while and reports how many packets came back."""
    client = client or Client(token, server)
    before = client.replies
    time.sleep(max(0.0, client.token["create"] - time.time()))  # else it is only too new
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        client.request()
        client.receive(0.1)
    return client.replies - before


def play(args):
    client = connected(args, minted(args))
    sizes = [1, 2, 100, 1125, 1200]
    for size in sizes:
        body = bytes((i * 31 + size) & 0xFF for i in range(size))
        if client.echo(body) != body[:1125]:
            raise RuntimeError("%d bytes came back changed" % size)
    client.disconnect()
    if max(client.reply_sizes) > 1150:
        raise RuntimeError("a datagram of %d bytes" % max(client.reply_sizes))
    return {"echoed": sizes, "index": client.index, "max_clients": client.max_clients}


def reused(args):
    token = minted(args)
    client = connected(args, token)
    while client.receive(0.02) is not None:
        pass
    out = {"other_address_while_connected": silent(token, args.server)}
    client.disconnect()
    while client.receive(0.2) is not None:
        pass
    out["same_address"] = silent(token, args.server, client)
    out["other_address"] = silent(token, args.server)
    return out


def kicked(args):
    client = connected(args, minted(args))
    client.send(n.PAYLOAD, b"kick me")
    end = time.monotonic() + 5
    while time.monotonic() < end:
        got = client.receive(0.1)
        if got is not None and got[0] == n.DISCONNECT:
            return {"kicked": True}
    raise RuntimeError("no disconnect packet")


def full(args):
    first = connected(args, minted(args))
    state = Client(minted(args, client_id=args.id + 1), args.server).connect()
    first.disconnect()
    return {"second": state}


def refused(args):
    good = n.parse_public(minted(args))
    out = {}
    for name, position in (("first", 0), ("middle", 500), ("last", 1023)):
        sealed = bytearray(good["sealed"])
        sealed[position] ^= 1
        out["tampered_" + name] = bytes(sealed)
    tampered = {
        name: n.public_token(
            good["protocol_id"], good["create"], good["expire"], good["nonce"], sealed,
            good["timeout"], good["addresses"], good["c2s"], good["s2c"],
        )
        for name, sealed in out.items()
    }
    host, port = args.server
    now = int(time.time())
    later = n.public_token(
        good["protocol_id"], good["create"], good["expire"] + 1, good["nonce"],
        good["sealed"], good["timeout"], good["addresses"], good["c2s"], good["s2c"],
    )
    tokens = {
        **tampered,
        "expiry_moved": later,
        "expired": minted(args, create=now - 31),
        "before_start": minted(args, create=now - 20),
        "wrong_server": minted(args, addresses=[("192.0.2.1", port)]),
        "wrong_port": minted(args, addresses=[(host, port ^ 1)]),
        "wrong_protocol": minted(args, protocol_id=args.protocol + 1),
        "wrong_key": minted(args, key=bytes(32)),
    }
    result = {name: silent(token, args.server) for name, token in tokens.items()}
    connected(args, minted(args)).disconnect()
    return result


def spend(args):
    """Uses a token up and hands it out, for a replay against a restarted server."""
    token = minted(args)
    client = connected(args, token)
    client.disconnect()
    return {"token": token.hex()}


def replay(args):
    """Shows the spent token of standard input, then a good one."""
    replies = silent(bytes.fromhex(sys.stdin.read()), args.server)
    connected(args, minted(args)).disconnect()
    return {"replies": replies}


def opened(args):
    public = n.parse_public(bytes.fromhex(sys.stdin.read()))
    private = n.open_private(
        public["sealed"], args.key, public["protocol_id"], public["expire"], public["nonce"]
    )
    same = all(public[k] == private[k] for k in ("timeout", "addresses", "c2s", "s2c"))
    return {
        "client_id": private["client_id"],
        "protocol_id": public["protocol_id"],
        "create": public["create"],
        "expire": public["expire"],
        "timeout": private["timeout"],
        "addresses": ["%s %d" % a for a in private["addresses"]],
        "user_data": private["user_data"].rstrip(b"\x00").decode(),
        "both_parts_agree": same,
    }


SCENARIOS = {
    "play": play, "reused": reused, "kicked": kicked, "full": full,
    "refused": refused, "open": opened, "spend": spend, "replay": replay,
}


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=sorted(SCENARIOS))
    parser.add_argument("--server", type=address)
    parser.add_argument("--key", type=bytes.fromhex, required=True)
    parser.add_argument("--protocol", type=int, default=0)
    parser.add_argument("--id", type=int, default=1)
    args = parser.parse_args()
    print(json.dumps(SCENARIOS[args.scenario](args)))


if __name__ == "__main__":
    main()
