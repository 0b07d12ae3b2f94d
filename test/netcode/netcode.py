"""netcode 1.02 in Python over the system's libsodium.

This is the second opinion that Entangle's Go implementation is measured against.
It is written from the description of the standard alone and shares no code with
the Go packages: layouts are spelled out here once more on purpose.
"""

import ctypes
import ipaddress
import os
import struct

VERSION = b"NETCODE 1.02\x00"

PRIVATE_SIZE = 1024
PUBLIC_SIZE = 2048
CHALLENGE_SIZE = 300
REQUEST_SIZE = 1078
MAC_SIZE = 16
USER_DATA_SIZE = 256

REQUEST, DENIED, CHALLENGE, RESPONSE, KEEP_ALIVE, PAYLOAD, DISCONNECT = range(7)

_sodium = ctypes.CDLL("libsodium.so.23")
if _sodium.sodium_init() < 0:
    raise RuntimeError("libsodium does not start")


class Forged(Exception):
    """The authentication code does not match."""


def _seal(function, plain, data, nonce, key):
    out = ctypes.create_string_buffer(len(plain) + MAC_SIZE)
    size = ctypes.c_ulonglong(0)
    function(
        out, ctypes.byref(size), plain, ctypes.c_ulonglong(len(plain)),
        data, ctypes.c_ulonglong(len(data)), None, nonce, key,
    )
    return out.raw[: size.value]


def _open(function, sealed, data, nonce, key):
    out = ctypes.create_string_buffer(max(len(sealed), 1))
    size = ctypes.c_ulonglong(0)
    failed = function(
        out, ctypes.byref(size), None, sealed, ctypes.c_ulonglong(len(sealed)),
        data, ctypes.c_ulonglong(len(data)), nonce, key,
    )
    if failed:
        raise Forged()
    return out.raw[: size.value]


def _pad(b, size):
    if len(b) > size:
        raise ValueError("%d bytes do not fit into %d" % (len(b), size))
    return b + bytes(size - len(b))


# Addresses


def encode_addresses(addresses):
    out = struct.pack("<I", len(addresses))
    for host, port in addresses:
        ip = ipaddress.ip_address(host)
        if ip.version == 4:
            out += bytes([1]) + ip.packed + struct.pack("<H", port)
        else:
            groups = struct.unpack(">8H", ip.packed)
            out += bytes([2]) + struct.pack("<8H", *groups) + struct.pack("<H", port)
    return out


def decode_addresses(b, at):
    (count,) = struct.unpack_from("<I", b, at)
    at += 4
    if not 1 <= count <= 32:
        raise ValueError("address count %d" % count)
    out = []
    for _ in range(count):
        kind = b[at]
        at += 1
        if kind == 1:
            host = str(ipaddress.IPv4Address(b[at : at + 4]))
            at += 4
        elif kind == 2:
            groups = struct.unpack_from("<8H", b, at)
            host = str(ipaddress.IPv6Address(struct.pack(">8H", *groups)))
            at += 16
        else:
            raise ValueError("address type %d" % kind)
        (port,) = struct.unpack_from("<H", b, at)
        at += 2
        out.append((host, port))
    return out, at


# Connect tokens


def private_plain(client_id, timeout, addresses, c2s, s2c, user_data):
    out = struct.pack("<Qi", client_id, timeout)
    out += encode_addresses(addresses)
    out += c2s + s2c
    out += _pad(user_data, USER_DATA_SIZE)
    return _pad(out, PRIVATE_SIZE - MAC_SIZE)


def private_data(protocol_id, expire):
    return VERSION + struct.pack("<QQ", protocol_id, expire)


def seal_private(plain, key, protocol_id, expire, nonce):
    return _seal(
        _sodium.crypto_aead_xchacha20poly1305_ietf_encrypt,
        plain, private_data(protocol_id, expire), nonce, key,
    )


def open_private(sealed, key, protocol_id, expire, nonce):
    plain = _open(
        _sodium.crypto_aead_xchacha20poly1305_ietf_decrypt,
        sealed, private_data(protocol_id, expire), nonce, key,
    )
    client_id, timeout = struct.unpack_from("<Qi", plain, 0)
    addresses, at = decode_addresses(plain, 12)
    return {
        "client_id": client_id,
        "timeout": timeout,
        "addresses": addresses,
        "c2s": plain[at : at + 32],
        "s2c": plain[at + 32 : at + 64],
        "user_data": plain[at + 64 : at + 64 + USER_DATA_SIZE],
    }


def public_token(protocol_id, create, expire, nonce, sealed, timeout, addresses, c2s, s2c):
    out = VERSION + struct.pack("<QQQ", protocol_id, create, expire)
    out += nonce + sealed + struct.pack("<i", timeout)
    out += encode_addresses(addresses) + c2s + s2c
    return _pad(out, PUBLIC_SIZE)


def parse_public(b):
    if len(b) != PUBLIC_SIZE or b[:13] != VERSION:
        raise ValueError("not a public token")
    protocol_id, create, expire = struct.unpack_from("<QQQ", b, 13)
    (timeout,) = struct.unpack_from("<i", b, 13 + 24 + 24 + PRIVATE_SIZE)
    addresses, at = decode_addresses(b, 13 + 24 + 24 + PRIVATE_SIZE + 4)
    return {
        "protocol_id": protocol_id,
        "create": create,
        "expire": expire,
        "nonce": b[37:61],
        "sealed": b[61 : 61 + PRIVATE_SIZE],
        "timeout": timeout,
        "addresses": addresses,
        "c2s": b[at : at + 32],
        "s2c": b[at + 32 : at + 64],
    }


def mint(key, protocol_id, client_id, addresses, create, life=30, timeout=5, user_data=b""):
    nonce, c2s, s2c = os.urandom(24), os.urandom(32), os.urandom(32)
    plain = private_plain(client_id, timeout, addresses, c2s, s2c, user_data)
    sealed = seal_private(plain, key, protocol_id, create + life, nonce)
    return public_token(
        protocol_id, create, create + life, nonce, sealed, timeout, addresses, c2s, s2c
    )


# Challenge tokens


def challenge_plain(client_id, user_data):
    return _pad(
        struct.pack("<Q", client_id) + _pad(user_data, USER_DATA_SIZE),
        CHALLENGE_SIZE - MAC_SIZE,
    )


def seal_challenge(plain, key, sequence):
    return _seal(
        _sodium.crypto_aead_chacha20poly1305_ietf_encrypt,
        plain, b"", bytes(4) + struct.pack("<Q", sequence), key,
    )


# Packets


def request_packet(protocol_id, expire, nonce, sealed):
    out = bytes([REQUEST]) + VERSION + struct.pack("<QQ", protocol_id, expire)
    out += nonce + sealed
    if len(out) != REQUEST_SIZE:
        raise ValueError("request of %d bytes" % len(out))
    return out


def sequence_bytes(sequence):
    count = max(1, (sequence.bit_length() + 7) // 8)
    return sequence.to_bytes(count, "little")


def packet_data(protocol_id, prefix):
    return VERSION + struct.pack("<Q", protocol_id) + bytes([prefix])


def seal_packet(kind, body, protocol_id, key, sequence):
    number = sequence_bytes(sequence)
    prefix = len(number) << 4 | kind
    sealed = _seal(
        _sodium.crypto_aead_chacha20poly1305_ietf_encrypt,
        body, packet_data(protocol_id, prefix),
        bytes(4) + struct.pack("<Q", sequence), key,
    )
    return bytes([prefix]) + number + sealed


def open_packet(b, protocol_id, key):
    if len(b) < 18:
        raise ValueError("packet of %d bytes" % len(b))
    prefix, count = b[0], b[0] >> 4
    kind = prefix & 15
    if kind not in (DENIED, CHALLENGE, KEEP_ALIVE, PAYLOAD, DISCONNECT):
        raise ValueError("packet type %d" % kind)
    if not 1 <= count <= 8 or len(b) < 1 + count + MAC_SIZE:
        raise ValueError("sequence of %d bytes" % count)
    sequence = int.from_bytes(b[1 : 1 + count], "little")
    body = _open(
        _sodium.crypto_aead_chacha20poly1305_ietf_decrypt,
        b[1 + count :], packet_data(protocol_id, prefix),
        bytes(4) + struct.pack("<Q", sequence), key,
    )
    return kind, sequence, body
