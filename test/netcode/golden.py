"""Writes one hex file per token and packet type, from fixed keys and nonces.

    python3 golden.py DIRECTORY
"""

import os
import struct
import sys

import netcode as n

PROTOCOL_ID = 0x1122334455667788
CLIENT_ID = 0x0102030405060708
CREATE = 1_800_000_000
EXPIRE = CREATE + 30
TIMEOUT = 5
ADDRESSES = [("203.0.113.7", 40000), ("2001:db8::1:2", 40001)]
SERVER_KEY = bytes(range(0x00, 0x20))
C2S = bytes(range(0x20, 0x40))
S2C = bytes(range(0x40, 0x60))
CHALLENGE_KEY = bytes(range(0x60, 0x80))
TOKEN_NONCE = bytes(range(0x80, 0x98))
USER_DATA = bytes(i * 7 & 0xFF for i in range(256))
CHALLENGE_SEQUENCE = 3
GLOBAL_SEQUENCE = 1 << 63


def goldens():
    plain = n.private_plain(CLIENT_ID, TIMEOUT, ADDRESSES, C2S, S2C, USER_DATA)
    sealed = n.seal_private(plain, SERVER_KEY, PROTOCOL_ID, EXPIRE, TOKEN_NONCE)
    never = n.private_plain(CLIENT_ID, -1, ADDRESSES, C2S, S2C, USER_DATA)
    challenge = n.challenge_plain(CLIENT_ID, USER_DATA)
    challenge_sealed = n.seal_challenge(challenge, CHALLENGE_KEY, CHALLENGE_SEQUENCE)
    answer = struct.pack("<Q", CHALLENGE_SEQUENCE) + challenge_sealed

    yield "token_private_plain", plain
    yield "token_private_never", never
    yield "token_private_sealed", sealed
    yield "token_public", n.public_token(
        PROTOCOL_ID, CREATE, EXPIRE, TOKEN_NONCE, sealed, TIMEOUT, ADDRESSES, C2S, S2C
    )
    yield "token_challenge_plain", challenge
    yield "token_challenge_sealed", challenge_sealed
    yield "packet_request", n.request_packet(PROTOCOL_ID, EXPIRE, TOKEN_NONCE, sealed)

    def packet(kind, body, key, sequence):
        return n.seal_packet(kind, body, PROTOCOL_ID, key, sequence)

    yield "packet_denied", packet(n.DENIED, b"", S2C, GLOBAL_SEQUENCE)
    yield "packet_challenge", packet(n.CHALLENGE, answer, S2C, GLOBAL_SEQUENCE + 1)
    yield "packet_response", packet(n.RESPONSE, answer, C2S, 0)
    yield "packet_keep_alive", packet(n.KEEP_ALIVE, struct.pack("<II", 5, 64), S2C, 255)
    yield "packet_payload", packet(n.PAYLOAD, bytes(range(100)), S2C, 256)
    yield "packet_payload_largest", packet(
        n.PAYLOAD, bytes(i * 3 & 0xFF for i in range(1200)), C2S, 0xFFFFFFFFFFFFFFFF
    )
    yield "packet_disconnect", packet(n.DISCONNECT, b"", C2S, 0x010203)


def main(folder):
    for name, b in goldens():
        text = b.hex()
        lines = [text[i : i + 64] for i in range(0, len(text), 64)]
        with open(os.path.join(folder, name + ".hex"), "w") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
