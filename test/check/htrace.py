"""A reader of .htrace recordings that shares nothing with trace_streamer.

It is strict: undamaged recordings only. Everything is held in memory. It gives the JSON texts of
the heap snapshots, timelines and CPU profiles as they were recorded, byte for byte.
"""

import gzip
import json
import re
import struct

HEADER = 1024
CLOCKS = ("boot", "real", "real_coarse", "mono", "mono_coarse", "mono_raw")


class FormatError(Exception):
    """The recording is not what an undamaged recording looks like."""


def read_bytes(path):
    """The content of a file, unwrapped when it is gzip."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at


def fields(data):
    """(number, value) of every field of a protobuf message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            value = data[at : at + size]
            if len(value) != size:
                raise FormatError("a field is longer than its message")
            at += size
        elif wire == 1:
            value = data[at : at + 8]
            at += 8
        elif wire == 5:
            value = data[at : at + 4]
            at += 4
        else:
            raise FormatError("wire type %d" % wire)
        yield tag >> 3, value


def signed32(value):
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def sections(data):
    """(header, payload) of every section."""
    at = 0
    while at < len(data):
        head = data[at : at + HEADER]
        if len(head) < HEADER or head[:8] != b"OHOSPROF":
            raise FormatError("no section header at offset %d" % at)
        length, version, segments = struct.unpack_from("<QII", head, 8)
        kind, *clocks = struct.unpack_from("<I6Q", head, 56)
        if length < HEADER or at + length > len(data):
            raise FormatError("length %d at offset %d does not fit the file" % (length, at))
        header = {"version": version, "segments": segments, "type": kind, "sha256": head[24:56],
                  "plugin": head[108:236].split(b"\0")[0].decode("latin-1")}
        header.update(zip(CLOCKS, clocks))
        yield header, data[at + HEADER : at + length]
        at += length


def segments(payload):
    at = 0
    while at < len(payload):
        (size,) = struct.unpack_from("<I", payload, at)
        at += 4
        if at + size > len(payload):
            raise FormatError("a segment is longer than its section")
        yield payload[at : at + size]
        at += size


def plugin_data(segment):
    out = {"name": None, "data": b"", "sec": 0, "nsec": 0}
    for number, value in fields(segment):
        if number == 1:
            out["name"] = bytes(value).decode("utf-8", "replace")
        elif number == 3:
            out["data"] = bytes(value)
        elif number == 5:
            out["sec"] = value
        elif number == 6:
            out["nsec"] = value
    out["ts"] = out["sec"] * 10**9 + out["nsec"]
    return out


def config(data):
    """An ArkTSConfig as the columns of js_config."""
    values = [0] * 7
    for number, value in fields(data):
        if 1 <= number <= 7:
            values[number - 1] = signed32(value) if number <= 2 else value
    return tuple(values)


# Escapes of U+0080 to U+00FF would look like raw bytes below; they become raw UTF-8 bytes.
LATIN_ESCAPE = re.compile(rb"\\(?:u00([89a-fA-F][0-9a-fA-F])|.)", re.DOTALL)
ABOVE_LATIN = re.compile("([^\x00-\xff]+)")


def parse_message(raw):
    """The JSON value of a message whose strings may hold parts of UTF-8 sequences.

    In the strings of the result, characters up to U+00FF are raw bytes, all others are UTF-16 as
    escaped. Returns None for text that is not JSON.
    """

    def replace(m):
        if m.group(1) is None:
            return m.group(0)
        return chr(int(m.group(1), 16)).encode("utf-8")

    try:
        if b"\\u00" in raw:
            raw = LATIN_ESCAPE.sub(replace, raw)
        return json.loads(raw.decode("latin-1"))
    except (ValueError, RecursionError):
        return None


class TextJoiner:
    """Joins chunk strings of parse_message to bytes; surrogate pairs may be split over chunks."""

    def __init__(self):
        self.parts = []
        self.high = ""

    def add(self, chunk):
        if not self.high and chunk.isascii():
            self.parts.append(chunk.encode("ascii"))
            return
        chunk = self.high + chunk
        self.high = ""
        if chunk and "\ud800" <= chunk[-1] <= "\udbff":
            self.high = chunk[-1]
            chunk = chunk[:-1]
        for part in ABOVE_LATIN.split(chunk):
            if part and part[0] > "\xff":
                text = part.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
                self.parts.append(text.encode("utf-8"))
            else:
                self.parts.append(part.encode("latin-1"))

    def text(self):
        if self.high:
            self.parts.append("\ufffd".encode("utf-8"))
        return b"".join(self.parts)


PROFILE = re.compile(r'\{\s*"id"\s*:\s*\d+\s*,\s*"result"\s*:\s*\{\s*"profile"\s*:\s*')


def profile_text(raw):
    """The profile object inside a message, also when the message's own tail is broken."""
    text = raw.decode("latin-1")
    m = PROFILE.match(text)
    if m is None:
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(text, m.end())
    except ValueError:
        return None
    return raw[m.end() : end]


class Recording:
    """The ArkTS data of an .htrace."""

    def __init__(self, data):
        self.configs = []
        self.heaps = []  # dicts: name, text, start, end (outer times, ns, realtime)
        self.profiles = []  # dicts: text, started, reported
        self.plugins = {}  # name -> segments
        self.messages = []  # (ts, raw)
        self.header = None
        self._text = None
        self._begin = None
        self._profile_start = None
        for header, payload in sections(data):
            if self.header is None:
                self.header = header
            if header["type"] in (1, 1000):
                continue
            for segment in segments(payload):
                self._segment(segment)

    def _segment(self, segment):
        d = plugin_data(segment)
        self.plugins[d["name"]] = self.plugins.get(d["name"], 0) + 1
        if d["name"] in ("arkts-plugin_config", "js-memory_config"):
            self.configs.append(config(d["data"]))
        elif d["name"] in ("arkts-plugin", "js-memory"):
            for number, value in fields(d["data"]):
                if number == 1:
                    self.messages.append((d["ts"], bytes(value)))
                    self._message(d["ts"], bytes(value))

    def _timeline(self):
        return bool(self.configs) and self.configs[-1][1] == 1

    def _message(self, ts, raw):
        profile = profile_text(raw)
        if profile is not None:
            self.profiles.append(
                {"text": profile, "started": self._profile_start, "reported": ts}
            )
            self._profile_start = None
            return
        m = parse_message(raw)
        if not isinstance(m, dict):
            return
        params = m.get("params")
        if isinstance(params, dict) and "chunk" in params:
            self._chunk(ts, params["chunk"])
        elif m.get("result") == {} and m.get("id") in (1, 2):
            self._mark(ts, m["id"])
        elif m.get("result") == {} and m.get("id") == 3 and self._profile_start is None:
            self._profile_start = ts

    def _chunk(self, ts, chunk):
        if self._text is None:
            self._text = TextJoiner()
            if not self._timeline():
                self._begin = ts
        if not isinstance(chunk, str):
            chunk = json.dumps(chunk, separators=(",", ":"), ensure_ascii=False)
        self._text.add(chunk)

    def _mark(self, ts, number):
        if self._text is not None:
            timeline = self._timeline()
            self.heaps.append(
                {
                    "name": "Timeline" if timeline else "Snapshot%d" % len(self.heaps),
                    "text": self._text.text(),
                    "start": self._begin,
                    "end": ts,
                }
            )
            self._text = None
            self._begin = None
        elif number == 1 and self._timeline():
            self._begin = ts


def load(path):
    return Recording(read_bytes(path))
