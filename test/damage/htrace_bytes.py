"""Bytes of .htrace recordings for the shapes of growth.py and memory.py."""

import struct
import sys


def varint(v):
    b = b""
    while v >= 0x80:
        b += bytes([v & 0x7F | 0x80])
        v >>= 7
    return b + bytes([v])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def segment(name, data, sec=1):
    body = field(1, name) + field(3, data) + b"\x28" + varint(sec) + b"\x30\x01"
    return struct.pack("<I", len(body)) + body


def recording(payload):
    header = bytearray(1024)
    header[0:8] = b"OHOSPROF"
    header[8:16] = struct.pack("<Q", 1024 + len(payload))
    header[16:20] = struct.pack("<I", 0x10000)
    header[60:76] = struct.pack("<QQ", 1, 1)
    sys.stdout.buffer.write(bytes(header) + payload)


def message(text):
    return segment(b"arkts-plugin", field(1, text.encode()))


def chunk(text):
    return message('{"params":{"chunk":"%s"}}' % text.replace("\\", "\\\\").replace('"', '\\"'))
