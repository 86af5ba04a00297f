#!/usr/bin/env python3
"""Does a recording of the Cloud Profiler contradict anything that it declares?

consistent(path) reads a recording (the directory of an agent, flat stream files, a conversation, also in gzip or a
zip) by the description of the format alone, and is true only when every stream ends behind a whole record and nothing
in it contradicts itself or another stream. A damaged recording of which this is true cannot be told from a right one.
The conditions:

dictionary   each word is a whole text; the number of a word is its place. Every number that the trace
             or a call uses is below the count of words; the names of params are words; a method that is entered is no
             param, and a tag is no signature. callsDictionary, where it is, names the same words.
params       version 1; whole records.
suspend      begins no more than an hour before the agent's start; every pause ends later than the one before it, and begins no
             earlier than that one ended. NOTHING refers to a pause or counts them, so a plain stream from which whole
             records at the end are missing is consistent.
sql, xml     whole texts; every reference meets the beginning of one. A text that nothing refers to may be missing.
trace        blocks follow one another to the end of the file; clocks and threads can be; ends are balanced on each
             thread at the end of the last file; call.info stands once in each root, and nothing but tags of the same
             time and the end follow it; common.started is the root's beginning.
calls        the root of each record begins there, with the same method and beginning; its length and number of
             invocations are those of the trace (a reactive call may last longer); a root with common.started has its
             record.
files        numbers begin with 1 and have no hole; a conversation ends with all data acknowledged.
"""
import gzip
import io
import os
import re
import struct
import sys
import zipfile

FIRST_MS, LAST_MS = 946684800000, 4102444800000
HOUR = 3600 * 1000


class Bad(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Bad(why)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def more(self):
        return self.at < len(self.data)

    def take(self, n):
        need(self.at + n <= len(self.data), "a record is cut")
        self.at += n
        return self.data[self.at - n:self.at]

    def fixed(self, n):
        return int.from_bytes(self.take(n), "big")

    def u32(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        return value & 0xFFFFFFFF

    def i32(self):
        value = self.u32()
        return value - (1 << 32) if value >> 31 else value

    def zigzag(self):
        value = self.u32()
        return (value >> 1) ^ -(value & 1)

    def u64(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        need(value < 1 << 64, "a number has more than 64 bits")
        return value

    def text(self):
        try:
            return self.take(2 * self.u32()).decode("utf-16-be", "surrogatepass")
        except UnicodeDecodeError as error:
            raise Bad("a text is no UTF-16") from error


# --- containers ----------------------------------------------------------------------------------

KINDS = ("dictionary", "posDictionary", "params", "suspend", "sql", "xml", "trace", "calls", "callsDictionary")


def unpack(data):
    if data[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, ValueError) as error:
            raise Bad("gzip: %s" % error) from error
        except Exception as error:  # zlib.error has no common base
            raise Bad("deflate: %s" % error) from error
    return data


def members(path):
    """Names and bytes of all files."""
    if os.path.isdir(path):
        for folder, _, names in os.walk(path):
            for name in names:
                full = os.path.join(folder, name)
                with open(full, "rb") as f:
                    yield os.path.relpath(full, path), f.read()
        return
    with open(path, "rb") as f:
        data = f.read()
    if data[:4] == b"PK\x03\x04":
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as z:
                for info in z.infolist():
                    if not info.is_dir():
                        yield info.filename, z.read(info)
        except Exception as error:
            raise Bad("zip: %s" % error) from error
    else:
        yield os.path.basename(path), unpack(data)


def unframe(data):
    out, r, first = [], Reader(data), True
    while r.more():
        n = r.fixed(4)
        need(0 < n <= 1 << 20, "a phrase has no length")
        out.append(r.take(n))
        first = False
    need(not first, "no phrase")
    return out


def conversation(data):
    """Streams of each pod: name -> index -> bytes."""
    r, pods, handles, acks = Reader(data), [], {}, 0
    while r.more():
        command = r.fixed(1)
        if command == 0:
            need(acks > 0, "an answer to nothing")
            acks -= 1
        elif command == 0x14:
            r.take(8)
            name = [r.take(r.fixed(4)) for _ in range(3)][0].decode("utf-8", "replace")
            need(r.fixed(8) != 88888888, "refused")
            pods.append((name, {}, True))
        elif command == 0x15:
            need(pods, "no version")
            stream = r.take(r.fixed(4)).decode("ascii", "replace")
            r.take(8)
            handle = r.take(16)
            r.take(16)
            index = r.fixed(4) + 1
            files = pods[-1][1].setdefault(stream, {})
            need(index not in files, "a file comes twice")
            handles[handle] = files[index] = bytearray()
        elif command == 0x02:
            handle = r.take(16)
            n = r.fixed(4)
            need(handle in handles and n <= 1024, "data of no stream")
            handles[handle] += r.take(n)
            acks += 1
        elif command == 0x11:
            acks += 1
        elif command == 0x04:
            pass
        else:
            raise Bad("no command")
    need(acks == 0 and pods, "not all is acknowledged")
    for _, files, _ in pods:
        need(all(kind in files for kind in ("dictionary", "trace", "calls")), "a stream is missing")
    return pods


def pods_of(path):
    """(name, stream -> index -> bytes, framed) for each pod."""
    pods = {}
    for name, data in members(path):
        agent = re.match(r"(?:(.*)/)?(\d{12,})/([A-Za-z]+)/(\d{6,})(?:\.gz)?$", name)
        flat = re.match(r"(.*)\.([A-Za-z]+?)s?(?:\.(\d+))?\.(?:protocol|bin)$", name)
        if agent:
            key, stream, index, framed = (agent.group(1), agent.group(2)), agent.group(3), int(agent.group(4)), False
        elif flat and any(name.split(".")[i] in KINDS + ("traces",) for i in range(len(name.split(".")))):
            stream = next(part for part in reversed(name.split(".")) if part in KINDS + ("traces",))
            stream = "trace" if stream == "traces" else stream
            index = int(flat.group(3) or 0) + 1
            key, framed = (name[:name.index("." + ("traces" if ".traces." in name else stream) + ".")], ""), True
        elif os.path.isfile(path) and name == os.path.basename(path):
            yield from conversation(data)
            continue
        else:
            continue
        if stream in KINDS:
            pod = pods.setdefault(key, {}), framed
            need(index not in pod[0].setdefault(stream, {}), "a file comes twice")
            need(len(data) > 0 or stream in ("sql", "xml"), "%s is empty" % name)
            need(not name.endswith(".gz") or data[:2] == b"\x1f\x8b", "%s is no gzip" % name)
            pod[0][stream][index] = unpack(data)
            pods[key] = pod[0]
            pods.setdefault("framed", {})[key] = framed
    framed = pods.pop("framed", {})
    for key, files in pods.items():
        yield "_".join(part or "" for part in key), files, framed[key]


# --- streams -------------------------------------------------------------------------------------


def records(data, framed, header):
    """A reader for each run of whole records; the header is in the first."""
    parts = unframe(data) if framed else [data]
    for i, part in enumerate(parts):
        r = Reader(part)
        if i == 0:
            r.head = r.take(header)
        yield r


class Pod:
    def __init__(self, name, files, framed):
        self.name, self.files, self.framed = name, files, framed
        for kind, by_index in files.items():
            need(sorted(by_index) == list(range(1, len(by_index) + 1)), "%s: a file is missing" % kind)

    def all(self, kind):
        return [data for _, data in sorted(self.files.get(kind, {}).items())]

    def check(self):
        self.dictionary()
        self.params()
        self.suspend()
        self.texts = {kind: self.read_texts(kind) for kind in ("sql", "xml")}
        self.trace()
        self.calls()

    def dictionary(self):
        self.words = []
        for data in self.all("dictionary"):
            for r in records(data, self.framed, 0):
                while r.more():
                    self.words.append(r.text())
        need(self.words and self.words[0] == "call.info", "no dictionary")
        need("posDictionary" not in self.files, "not judged")
        for data in self.all("callsDictionary"):
            r = Reader(data)
            while r.more():
                number, word = r.u32(), r.text()
                need(number < len(self.words) and self.words[number] == word, "the dictionaries differ")
        self.ids = {}
        for i, word in enumerate(self.words):
            need(not re.search("[\x00-\x1f\x7f]", word), "a control character in a word")
            need(word not in self.ids, "a word comes twice")
            self.ids[word] = i

    def params(self):
        self.param_ids = set()
        for data in self.all("params"):
            for i, r in enumerate(records(data, self.framed, 1)):
                need(i > 0 or r.head == b"\x01", "version of params")
                while r.more():
                    name = r.text()
                    r.take(2)
                    r.i32()
                    r.text()
                    need(name in self.ids, "a param is no word")
                    need(self.ids[name] not in self.param_ids, "a param comes twice")
                    self.param_ids.add(self.ids[name])

    def suspend(self):
        began = re.search(r"_(\d{12,})$", self.name)
        for number, data in enumerate(self.all("suspend")):
            at = None
            for r in records(data, self.framed, 8):
                if at is None:
                    at = int.from_bytes(r.head, "big")
                    need(FIRST_MS <= at < LAST_MS, "suspend has no time")
                    need(number > 0 or not began or at >= int(began.group(1)) - HOUR, "suspend begins elsewhere")
                    first = True
                while r.more():
                    delta, delay = r.i32(), r.i32()
                    need(delay >= 0 and (delta >= 0 if first else delta > 0 and delta >= delay), "pauses overlap")
                    first = False

    def read_texts(self, kind):
        places = set()
        for index, data in sorted(self.files.get(kind, {}).items()):
            r = Reader(data)
            while r.more():
                places.add((index, r.at))
                r.text()
        return places

    def trace(self):
        self.roots, stacks, infos, timer0 = {}, {}, set(), None
        for index, data in sorted(self.files.get("trace", {}).items()):
            r = Reader(data)
            timer = r.fixed(8)
            need(FIRST_MS <= timer < LAST_MS and timer0 in (None, timer), "clock of the trace")
            timer0 = timer
            while r.more():
                self.block(r, index, timer, stacks, infos)
        need(not any(stacks.values()), "a call does not end")
        need(not infos or all(root["info"] for root in self.roots.values()), "a call ends without call.info")

    def block(self, r, index, timer, stacks, infos):
        offset, thread, real = r.at, r.fixed(8), r.fixed(8)
        need(0 < thread < 1 << 32 and FIRST_MS <= real < LAST_MS, "header of a block")
        total, number = 0, 0
        stack = stacks.setdefault(thread, [])
        while True:
            head = r.fixed(1)
            kind = head & 3
            if kind == 3:
                return
            step = (head & 0x7F) >> 2 | (r.u32() << 5 if head & 0x80 else 0)
            total = total + step & 0xFFFFFFFF
            rel = total - (real - timer) & 0xFFFFFFFF
            now = real + (rel - (1 << 32) if rel >> 31 else rel)
            root = stack[0] if stack else None
            done = root is not None and len(stack) == 1 and root["info"]
            need(not done or (kind != 0 and now == root["end"]), "something follows call.info")
            if kind == 0:
                self.enter(r, stack, (index, offset, number), now)
            elif kind == 1:
                need(stack, "an end of nothing")
                frame = stack.pop()
                need(now >= frame["start"], "an end before its beginning")
                if not stack:
                    frame["dur"] = now - frame["start"]
            else:
                self.tag(r, stack, now, infos)
            number += 1

    def enter(self, r, stack, key, now):
        word = r.u32()
        need(word < len(self.words) and word not in self.param_ids and self.words[word] != "call.info", "no method")
        need(not stack or now >= stack[-1]["start"], "a callee begins before its caller")
        if stack:
            stack[0]["enters"] += 1
            stack.append({"start": now})
        else:
            self.roots[key] = {"word": word, "start": now, "enters": 1, "info": False, "end": 0, "promised": False}
            stack.append(self.roots[key])

    def tag(self, r, stack, now, infos):
        word, kind = r.u32(), r.fixed(1)
        need(word < len(self.words) and "(" not in self.words[word] and kind <= 3 and stack, "a tag")
        if kind in (1, 3):
            place = (r.u32(), r.u32())
            need(place in self.texts["xml" if kind == 1 else "sql"], "a reference to no text")
            return
        value = r.text()
        name = self.words[word]
        if name == "call.info" and kind == 0 and not value:
            need(len(stack) == 1 and not stack[0]["info"], "call.info in a call")
            stack[0]["info"], stack[0]["end"] = True, now
            infos.add(word)
        if name == "common.started" and len(stack) == 1:
            need(value == str(stack[0]["start"]), "common.started")
            stack[0]["promised"] = True

    def calls(self):
        met = set()
        for data in self.all("calls"):
            r = Reader(data)
            now, form, names = r.fixed(8), 0, 0
            if now >> 32 == 0xFFFEFDFC:
                form, now = now & 0xFFFFFFFF, r.fixed(8)
            need(form <= 4 and FIRST_MS <= now < LAST_MS, "header of calls")
            while r.more():
                now += r.zigzag()
                names = self.call(r, form, now, names, met)
        need(all(key in met for key, root in self.roots.items() if root["promised"]), "a call is missing")

    def call(self, r, form, now, names, met):
        word, dur, enters = r.u32(), r.i32(), r.u32()
        if form >= 1:
            thread = r.u32()
            need(thread <= names, "a thread without a name")
            if thread == names:
                r.text()
                names += 1
            need(r.i32() >= 0 and r.i32() >= 0, "logs")
        key = (r.u32(), r.u32(), r.u32())
        root = self.roots.get(key)
        need(root and key not in met, "a call without a root")
        met.add(key)
        need(root["word"] == word and root["start"] == now and root["enters"] == enters and dur >= root["dur"],
             "a call is not its root")
        for _ in range(0 if form < 2 else 3 if form < 3 else 7):
            r.u64()
        if form >= 4:
            need(r.i32() >= 0 and r.i32() >= 0, "transactions")
        for _ in range(r.u32()):
            need(r.u32() < len(self.words), "a parameter without a word")
            for _ in range(r.u32()):
                r.text()
        return names


def why_not(path):
    """None when the recording is consistent, else what it contradicts."""
    try:
        any_pod = False
        for name, files, framed in pods_of(path):
            Pod(name, files, framed).check()
            any_pod = True
        need(any_pod, "no recording")
    except (Bad, struct.error) as error:
        return str(error)
    return None


def consistent(path):
    return why_not(path) is None


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print("%s: %s" % (argument, why_not(argument) or "consistent"))
