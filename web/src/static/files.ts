// Files of the user as a folder of the module: read where they are, in blocks, never whole.

export interface Node {
  id: number;
  mode: number;
  timestamp: number;
  contents: Record<string, Node>;
  file?: File;
  node_ops: object;
  stream_ops: object;
}

interface Stream {
  readonly node: Node;
  position: number;
}

/** What is used of emscripten's file system. */
export interface FileSystem {
  mkdir(path: string): void;
  mount(type: object, options: object, path: string): void;
  writeFile(path: string, data: string): void;
  createNode(parent: Node | null, name: string, mode: number, device: number): Node;
  open(path: string, flags: string): Stream;
  read(stream: Stream, into: Uint8Array, offset: number, length: number, position: number): number;
  close(stream: Stream): void;
  stat(path: string): { size: number };
  readonly ErrnoError: new (code: number) => Error;
}

/** Reads a part of a file at once, as only workers can. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const FOLDER = 0o040555;
const FILE = 0o100444;
const BLOCK = 512 * 1024;
/** Blocks that are kept: SQLite reads pages of 4 KiB in any order. */
const KEPT = 64;
const [NO_FILE, NOT_ALLOWED, WRONG] = [44, 63, 28]; // ENOENT, EPERM, EINVAL

/** A type of file system for FS.mount: one folder with these files, by these names. */
export function userFiles(fs: FileSystem, files: ReadonlyMap<string, File>): object {
  const reader = new FileReaderSync();
  const blocks = new Map<string, Uint8Array>();

  const block = (node: Node, number: number): Uint8Array => {
    const key = `${node.id} ${number}`;
    const kept = blocks.get(key);
    blocks.delete(key);
    const found = kept ?? new Uint8Array(reader.readAsArrayBuffer((node.file as File).slice(number * BLOCK, (number + 1) * BLOCK)));
    blocks.set(key, found); // the last one of the map is the one used last
    if (blocks.size > KEPT) {
      blocks.delete(blocks.keys().next().value as string);
    }
    return found;
  };

  const size = (node: Node): number => node.file?.size ?? 0;
  const forbidden = (): never => {
    throw new fs.ErrnoError(NOT_ALLOWED);
  };
  const nodeOps = {
    getattr: (node: Node) => {
      const time = new Date(node.timestamp);
      return { dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: size(node), atime: time, mtime: time, ctime: time, blksize: BLOCK, blocks: Math.ceil(size(node) / 512) };
    },
    setattr: () => undefined,
    lookup: () => {
      throw new fs.ErrnoError(NO_FILE);
    },
    mknod: forbidden, rename: forbidden, unlink: forbidden, rmdir: forbidden, symlink: forbidden,
    readdir: (node: Node) => [".", "..", ...Object.keys(node.contents)],
  };
  const streamOps = {
    read: (stream: Stream, into: Uint8Array, offset: number, length: number, position: number): number => {
      const n = Math.max(0, Math.min(length, size(stream.node) - position));
      for (let done = 0; done < n;) {
        const from = (position + done) % BLOCK;
        const part = block(stream.node, Math.floor((position + done) / BLOCK)).subarray(from, from + n - done);
        new Uint8Array(into.buffer).set(part, into.byteOffset + offset + done); // `into` may be one of signed bytes
        done += part.length;
      }
      return n;
    },
    write: forbidden,
    llseek: (stream: Stream, offset: number, whence: number): number => {
      const position = offset + (whence === 1 ? stream.position : whence === 2 ? size(stream.node) : 0);
      if (position < 0) {
        throw new fs.ErrnoError(WRONG);
      }
      return position;
    },
  };
  const make = (parent: Node | null, name: string, mode: number, file?: File): Node => {
    const node = fs.createNode(parent, name, mode, 0);
    Object.assign(node, { node_ops: nodeOps, stream_ops: streamOps, contents: {}, timestamp: file?.lastModified ?? 0 });
    if (file !== undefined && parent !== null) {
      node.file = file;
      parent.contents[name] = node;
    }
    return node;
  };
  return {
    mount: () => {
      const root = make(null, "/", FOLDER);
      files.forEach((file, name) => make(root, name, FILE, file));
      return root;
    },
  };
}
