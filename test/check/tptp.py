"""A reader of traces of the TPTP profiler, binary and XML, that shares nothing with trace_streamer.

sessions(data) gives the events of each session of a file, both forms alike: numbers, texts and lists by the names of XML, without what is
0, "" or absent; None where a number cannot be read; times and durations in ns. tptp_rows.py makes rows of them. All is held in memory.
"""

import collections
import io
import re
import struct
import zipfile

# id: name, attributes in their order. q number, t time, d duration, i 32 bit, b byte, s text, A texts, Q numbers; $ two texts.
TABLES = {
    1001: "node nodeId s hostname s ipaddress s timezone i time t",
    1002: "processCreate processId s name s pid i nodeIdRef s time t exe s",
    1003: "agentCreate agentId s processIdRef s agentName s agentType s time t agentParameters s version s",
    1004: "agentDestroy agentIdRef s time t",
    1005: "traceStart traceId s agentIdRef s time t collationValue s",
    1006: "traceEnd traceIdRef s time t collationValue s",
    1007: "filter traceIdRef s pattern s genericPattern s mode s methodPattern s methodGenericPattern s methodMode s",
    1008: "option traceIdRef s key s value s",
    1009: "threadStart transientThreadId q threadId q time t groupName s parentName s transientObjIdRef q objIdRef q threadName s $",
    1010: "threadEnd transientThreadIdRef q threadIdRef q time t $",
    1011: "classDef transientThreadIdRef q threadIdRef q time t numInterfaces i interfaceNames s transientClassId q classId q sourceName s "
          "classLoader s superclass s transientObjIdRef q objIdRef q name s access s numStaticFields i numMethods i numInstanceFields i $",
    1012: "methodDef name s signature s isNative b isAbstract b isStatic b isSynchronized b exceptions s startLineNumber q "
          "endLineNumber q signatureNotation s transientClassIdRef q classIdRef q methodId q $",
    1014: "objAlloc transientThreadIdRef q threadIdRef q time t isArray b transientObjId q objId q size q line q methodIdRef q "
          "transientClassIdRef q classIdRef q contextData s $",
    1015: "methodEntry transientThreadIdRef q threadIdRef q time t methodIdRef q ticket i transientObjIdRef q classIdRef q "
          "threadCpuTime d sequenceCounter q stackDepth q $",
    1016: "methodExit transientThreadIdRef q threadIdRef q time t ticket i threadCpuTime d methodIdRef q transientObjIdRef q objIdRef q "
          "transientClassIdRef q classIdRef q sequenceCounter s $",
    1023: "gcStart transientThreadIdRef q threadIdRef q time t $",
    1024: "objFree transientThreadIdRef q threadIdRef q time t transientObjIdRef q objIdRef q objAge q sequenceCounter q stackDepth q $",
    1027: "gcFinish transientThreadIdRef q threadIdRef q time t totalObjSpace q usedObjSpace q usedObjects q $",
    1030: "runtimeInitDone transientThreadIdRef q threadIdRef q time t $",
    1031: "runtimeShutdown transientThreadIdRef q threadIdRef q time t $",
    1032: "monWait threadIdRef q time t objIdRef q timeout q stackCount i stackMethods A stackLines Q",
    1033: "monWaited threadIdRef q time t objIdRef q timeout q stackCount i stackMethods A stackLines Q",
    1034: "monContendedEnter threadIdRef q time t objIdRef q threadOwner q stackCount i stackMethods A stackLines Q",
    1035: "monContendedEntered threadIdRef q time t objIdRef q stackCount i stackMethods A stackLines Q",
    1036: "agMethodEntry threadIdRef q methodIdRef q baseTime d minTime d maxTime d baseCPUTime d numCalls q",
    1037: "agMethodExit threadIdRef q methodIdRef q",
    1038: "heapDumpDef heapDumpId q time t name s basetime d",
    1039: "gcRoot classIdRef q objIdRef q type s",
    1040: "objReference srcIdRef q targIdRef q heapDumpIdRef q",
    1041: "customData body s",
}
# Numbers of events whose attributes nobody describes.
UNDESCRIBED = [i for i in range(1001, 1042) if i not in TABLES]
# Elements that only XML has.
OTHERS = ("processSuspend processResume classUnload methodCall methodReturn methodBody method methodCount value line tag code objDef objMove "
          "throw catch").split()


def table(text):
    words = text.replace("$", "collationValue s traceIdRef s").split()
    return words[0], list(zip(words[1::2], words[2::2]))


SCHEMA = {i: table(text) for i, text in TABLES.items()}
TYPES = {name: dict(attributes) for name, attributes in SCHEMA.values()}
TYPES["methodEntry"].update(objIdRef="q", transientClassIdRef="q")
TYPES["methodExit"]["overhead"] = "d"
LAYOUT_B = {
    1015: table(TABLES[1015].replace("transientObjIdRef q", "transientObjIdRef q objIdRef q transientClassIdRef q")),
    1016: table(TABLES[1016].replace("sequenceCounter s", "sequenceCounter q")),
}
BOOLEANS = ("isNative", "isAbstract", "isStatic", "isSynchronized", "isArray")
ALIASES = {"objectage": "objAge", "executable": "exe", "accessflags": "access", "superclass": "superclass", "srcid": "srcIdRef",
           "targid": "targIdRef", "trgidref": "targIdRef", "basecputime": "baseCPUTime", "totalobjectspace": "totalObjSpace",
           "usedobjectspace": "usedObjSpace", "threadowneridref": "threadOwner"}
LEAST_TIME, MOST_TIME = 9.4e17, 4.1e18  # the years 2000 and 2100, in ns


class Session:
    def __init__(self, facts):
        self.facts = facts
        self.events = []  # (name, attributes)
        self.notes = collections.Counter()
        self.traces = set()
        self.ended = False


def has_gap(found):
    """Is something missing, so that what depends on it is not certain?"""
    return any(s.notes[note] for s in found for note in ("message-size", "message-bad", "nesting", "lost-tail", "truncated", "doubled", "order",
                                                               "size-alone"))


class Bad(Exception):
    """A message that has to be left out."""


def sessions(data):
    if data[:4] == b"PK\x03\x04":
        found = []
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            for name in z.namelist():
                found += sessions(z.read(name))
        return found
    if data[:4] == b"0TBF":
        return Binary(data).sessions
    return Xml(data).sessions


# --- the binary form ------------------------------------------------------------------------------


class Binary:
    def __init__(self, data):
        self.data = data
        self.sessions = []
        self.kinds = set()
        at = 0
        while at is not None and at < len(data):
            at = self.stream(at)

    def stream(self, start):
        """Reads a stream; returns where the next one begins."""
        self.kinds = set()  # kinds of events of which a message was as long as its attributes
        d = self.data
        if len(d) - start < 12:
            raise ValueError("too short")
        order = d[start + 7]
        notes = collections.Counter()
        self.end = ">" if order == 0 else "<"
        if order > 1:
            notes["endian"] += 1
        (offset,) = struct.unpack_from(self.end + "I", d, start + 8)
        if start + offset > len(d):
            other = "<" if self.end == ">" else ">"
            (swapped,) = struct.unpack_from(other + "I", d, start + 8)
            if not 12 <= swapped <= 4096:
                raise ValueError("offset outside of the file")
            notes["endian"] += 1
            self.end, offset = other, swapped
        if offset < 12:
            offset += 12
            notes["data-offset"] += 1
        first = start + offset
        self.frequency = 0
        self.encoding = "utf-8"
        self.unit = None
        self.inclusive, self.sized, self.counted = self.probe(first)
        self.session = Session({
            "version": "%d.%d" % (d[start + 4], d[start + 5]), "platform": d[start + 6], "endian": "big" if self.end == ">" else "little",
            "size_mode": "inclusive" if self.inclusive else "exclusive", "sys_length": int(self.sized),
            "arrays": "counted" if self.counted else "plain"})
        self.session.notes = notes
        self.sessions.append(self.session)
        return self.messages(first)

    # Messages: their number, where they end, and what is in them.

    def size(self, at, inclusive, sized):
        """(id, begin of the attributes, end), or None when it cannot be right."""
        if len(self.data) - at < 2:
            return None
        (number,) = struct.unpack_from(self.end + "H", self.data, at)
        if number in (1, 2) and not sized:
            end = self.data.find(b"\0", at + 2) + 1 if number == 1 else at + 10
            return (number, at + 2, end) if at + 2 < end <= len(self.data) else None
        if len(self.data) - at < 6:
            return None
        (n,) = struct.unpack_from(self.end + "I", self.data, at + 2)
        end = at + n + (0 if inclusive else 6)
        return (number, at + 6, end) if at + 6 <= end <= len(self.data) else None

    def exact(self, message, counted):
        number, at, end = message
        body = self.data[at:end]
        if number == 1:
            return len(body) > 1 and body[-1] == 0 and all(32 <= c < 127 for c in body[:-1])
        if number == 2:
            return len(body) == 8
        for _, attributes in self.layouts(number):
            try:
                if self.decode(attributes, at, end, counted)[1] == 0:
                    return True
            except Bad:
                pass
        return False

    @staticmethod
    def layouts(number):
        return [SCHEMA[number]] + ([LAYOUT_B[number]] if number in LAYOUT_B else [])

    def probe(self, first):
        best = None
        for inclusive in (True, False):
            for sized in (True, False):
                for counted in (False, True):
                    score = self.score(first, inclusive, sized, counted)
                    if best is None or score > best[0]:
                        best = (score, inclusive, sized, counted)
        return best[1:]

    def score(self, at, inclusive, sized, counted):
        score = 0
        for _ in range(400):
            if at >= len(self.data):
                break
            message = self.size(at, inclusive, sized)
            if message is None:
                score -= 12
                break
            if message[0] in (1, 2) or message[0] in SCHEMA:
                score += 1 if self.exact(message, counted) else -4
            at = message[2]
        return score

    def text(self, at, end):
        stop = self.data.find(b"\0", at, end)
        if stop < 0:
            raise Bad("text without an end")
        return self.data[at:stop].decode(self.encoding, "replace"), stop + 1

    def number(self, at, end, kind, n):
        if at + n > end:
            raise Bad("attribute behind the end")
        return struct.unpack_from(self.end + kind, self.data, at)[0], at + n

    def array(self, kind, count, at, end, counted):
        if counted:
            count, at = self.number(at, end, "i", 4)
            if not 0 <= count <= 65536:
                raise Bad("count")
        values = []
        for _ in range(count):
            value, at = self.text(at, end) if kind == "A" else self.number(at, end, "q", 8)
            values.append(value)
        return values, at

    def decode(self, attributes, at, end, counted):
        """Values by name, and bytes that are left; -1 when attributes are missing."""
        values = {}
        count = 0
        for name, kind in attributes:
            if at == end and not (kind in "AQ" and count == 0 and not counted):
                return values, -1
            if kind == "s":
                values[name], at = self.text(at, end)
            elif kind in "AQ":
                values[name], at = self.array(kind, count, at, end, counted)
            else:
                code, n = {"q": ("q", 8), "t": ("Q", 8), "d": ("q", 8), "i": ("i", 4), "b": ("B", 1)}[kind]
                values[name], at = self.number(at, end, code, n)
                if name == "stackCount":
                    count = values[name]
                    if not 0 <= count <= 65536:
                        raise Bad("count")
        return values, end - at

    def best_decode(self, number, at, end):
        failed = None
        found = None
        for counted in (self.counted, not self.counted):
            for name, attributes in self.layouts(number):
                try:
                    values, left = self.decode(attributes, at, end, counted)
                except Bad as e:
                    failed = failed or e
                    continue
                if left == 0:
                    return name, values, 0
                found = found or (name, values, left)
        if found is None:
            raise failed
        return found

    # Time.

    def ns(self, ticks, stamp):
        if self.frequency > 0:
            return ticks * 10**9 // self.frequency
        if self.unit is None and stamp:
            self.session.notes["no-frequency"] += 1
            self.unit = 10**6 if 9e11 <= ticks <= 5e12 else 1000 if 9e14 <= ticks <= 5e15 else 1
        return ticks * (self.unit or 1)

    def set_frequency(self, bits):
        f = bits
        if f > 10**12:
            (d,) = struct.unpack("<d", struct.pack("<Q", bits))
            if 1e6 <= d <= 1e11:
                f = int(d)
        elif 0 < f < 100000:
            f *= 10**6
        if f != bits:
            self.session.notes["frequency"] += 1
        self.frequency = f
        self.session.facts["frequency"] = f

    def system(self, number, at, end):
        if number == 1:
            name = self.data[at:end].rstrip(b"\0").decode("ascii", "replace")
            self.session.facts["encoding"] = name
            plain = name.lower().replace("-", "")
            if plain.startswith(("utf16", "utf32")):
                raise ValueError("encoding with bytes of zero")
            try:
                "".encode("utf-8" if plain == "utf8" else name)
                self.encoding = "utf-8" if plain == "utf8" else name
            except LookupError:
                self.encoding = "utf-8"
                self.session.notes["encoding"] += 1
        elif number == 2 and end - at == 8:
            self.set_frequency(struct.unpack_from(self.end + "Q", self.data, at)[0])

    # The stream.

    def messages(self, at):
        d = self.data
        while at < len(d):
            if d[at:at + 4] == b"0TBF" and len(d) - at >= 12:
                return at
            message = self.size(at, self.inclusive, self.sized)
            if message is None:
                found = self.resume(at + 1)
                if found is None:
                    self.session.notes["lost-tail"] = len(d) - at
                    return None
                self.session.notes["message-size"] += 1
                at = found
                continue
            number, begin, at = message
            if number in (1, 2):
                self.system(number, begin, at)
            elif number in SCHEMA:
                self.event(number, begin, at)
            elif number in UNDESCRIBED:
                self.undescribed(number, begin, at)
            else:
                self.session.notes["unknown %d" % number] += 1
        return None

    def undescribed(self, number, begin, end):
        """What is known is how many bytes there are; they may begin as most events do, with two ids of a thread and a time."""
        values = dict(size=end - begin, bytes=self.data[begin : min(end, begin + 256)].hex())
        if end - begin >= 24:
            transient, static, ticks = struct.unpack_from(self.end + "qqQ", self.data, begin)
            values.update(thread=static or transient, when=self.ns(ticks, False))
        self.session.events.append(("message %d" % number, values))

    def event(self, number, begin, end):
        try:
            name, values, left = self.best_decode(number, begin, end)
        except Bad:
            self.session.notes["message-bad"] += 1
            return
        if left:
            self.session.notes["inexact"] += 1
            self.session.notes["size-alone"] += name in self.kinds  # others of its kind are as long as their attributes
        else:
            self.kinds.add(name)
        kinds = TYPES[name]
        for key, value in values.items():
            if kinds[key] in "td" and (value or kinds[key] == "t"):
                values[key] = self.ns(value, kinds[key] == "t")
        self.session = put(self.sessions, name, values)

    def resume(self, at):
        """The first place within 1 MiB where three messages stand."""
        for place in range(at, min(len(self.data), at + (1 << 20))):
            p = place
            for _ in range(3):
                message = self.size(p, self.inclusive, self.sized)
                if message is None or not (message[0] in (1, 2) or message[0] in SCHEMA) or not self.exact(message, self.counted):
                    break
                p = message[2]
            else:
                return place
        return None


# --- XML ------------------------------------------------------------------------------------------

TOKEN = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![^>]*>|</\s*([^\s>]+)\s*>|"
                   r"<([A-Za-z_:][^\s/>=\"'<]*)((?:\s+[^\s=/>]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>", re.S)
ATTRIBUTE = re.compile(r"([^\s=/>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.S)
ENTITY = re.compile(r"&(#[0-9]+|#[xX][0-9a-fA-F]+|lt|gt|amp|quot|apos);")
PLAIN = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
ROOTS = ("TRACE", "traceRoot", "trace")


def unescape(text):
    def one(m):
        e = m.group(1)
        if e[0] == "#":
            return chr(int(e[2:], 16) if e[1] in "xX" else int(e[1:]))
        return PLAIN[e]
    return ENTITY.sub(one, text)


def integer(text):
    if text.lower() in ("true", "false"):
        return int(text.lower() == "true")
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        return None
    value = int(text)
    return value if -(1 << 63) <= value < 1 << 63 else None


def seconds(text):
    """ns, all digits of them, without a double."""
    m = re.fullmatch(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,4}))?", text)
    if not m or not (m.group(2) or m.group(3)):
        return None
    digits = m.group(2) + (m.group(3) or "")
    scale = 9 - len(m.group(3) or "") + int(m.group(4) or 0)
    value = int(digits) * 10**scale if scale >= 0 else int(digits) // 10**-scale
    if m.group(1) == "-":
        value = -value
    return value if -(1 << 63) <= value < 1 << 63 else None


class Xml:
    def __init__(self, data):
        self.sessions = [Session({"xml_root": None})]
        self.session = self.sessions[0]
        text = self.decoded(data)
        if text is None:
            raise ValueError("not a trace")
        self.read(text)

    def decoded(self, data):
        encoding = "utf-8"
        if data[:3] == b"\xef\xbb\xbf":
            data = data[3:]
        elif data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            encoding = "utf-16-le" if data[:1] == b"\xff" else "utf-16-be"
            data = data[2:]
        else:
            m = re.match(rb"\s*<\?xml[^>]*encoding\s*=\s*[\"']([^\"']*)", data)
            if m:
                encoding = m.group(1).decode("ascii")
        text = data.decode(encoding, "replace")
        if "\ufffd" in text:
            self.session.notes["bad-text"] += text.count("\ufffd")
        return text

    def read(self, text):
        at = 0
        open_elements = []  # names of those inside the root
        element = None  # the event that has content: name, values
        note = None  # the annotation that is open
        value = None  # text of its <value>
        notes = self.session.notes
        for m in TOKEN.finditer(text):
            between = text[at:m.start()]
            at = m.end()
            if value is not None:
                value += unescape(between)
            elif between.strip():
                notes["text"] += 1
            end, name = m.group(1), m.group(2)
            if name and name in ROOTS and not open_elements:
                self.session.facts["xml_root"] = name
            elif name:
                if not open_elements:
                    element = [name, self.attributes(m.group(3))]
                elif len(open_elements) == 1 and name.lower() == "annotation":
                    note = self.attributes(m.group(3))
                    if "value" in note:
                        self.annotate(element, note, note["value"])
                elif len(open_elements) == 2 and name == "value" and note is not None:
                    value = ""
                if m.group(4):
                    if not open_elements:
                        self.event(*element)
                        element = None
                else:
                    open_elements.append(name)
                    if len(open_elements) == 257:
                        notes["nesting"] += 1
            elif end and open_elements and open_elements[-1] == end:
                open_elements.pop()
                if value is not None and end == "value":
                    self.annotate(element, note, value)
                    value = None
                if len(open_elements) == 1:
                    note = None
                if not open_elements:
                    self.event(*element)
                    element = None
        if "<" in text[at:]:
            notes["truncated"] += 1

    @staticmethod
    def attributes(text):
        return {m.group(1): unescape(m.group(2) if m.group(2) is not None else m.group(3)) for m in ATTRIBUTE.finditer(text or "")}

    @staticmethod
    def annotate(element, note, value):
        name = (note.get("name") or note.get("key") or "").lower()
        if "method" in name:
            element[1].setdefault("stackMethods", []).append(value)
        elif "line" in name:
            element[1].setdefault("stackLines", []).append(integer(value))

    def event(self, name, given):
        notes = self.session.notes
        if name in OTHERS:
            self.session.events.append((name, given))
            return
        kinds = TYPES.get(name)
        if kinds is None:
            notes["unknown %s" % name] += 1
            return
        values = {}
        for key, text in given.items():
            key = key if key in kinds else ALIASES.get(key.lower(), key)
            kind = kinds.get(key)
            if kind is None:
                notes["attribute %s" % key] += 1
                continue
            values[key] = text
            if kind in "td":
                values[key] = seconds(text)
            elif kind in "qib":
                values[key] = integer(text)
            if values[key] is None:
                notes["value"] += 1
        self.session = put(self.sessions, name, values)


def put(sessions, name, values):
    """Keeps of an event what says something: an exact 0 and "" stand for nothing. A new trace behind the end of another one is a
    session of its own. Returns the session."""
    session = sessions[-1]
    if name == "traceStart":
        trace = values.get("traceId")
        if session.ended and trace not in session.traces:
            session = Session(dict(session.facts))
            sessions.append(session)
        session.traces.add(trace)
        session.ended = False
    session.ended = session.ended or name == "traceEnd"
    if values.get("sequenceCounter") and isinstance(values["sequenceCounter"], str):
        values["sequenceCounter"] = integer(values["sequenceCounter"])
    session.events.append((name, {k: v for k, v in values.items()
                                  if k != "stackCount" and (v is None or (v != 0 and v != "" and v != []) or k == "time")}))
    return session
