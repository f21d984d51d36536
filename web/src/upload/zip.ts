/** File with its path in a folder. */
export interface FolderFile {
  readonly path: string;
  readonly file: Blob;
}

interface Packing {
  /** Receives the number of bytes read. */
  tell?: (read: number) => void;
  signal?: AbortSignal | undefined;
}

const [LOCAL, ENTRY, END] = [0x04034b50, 0x02014b50, 0x06054b50];
/** Version 2.0, names in UTF-8, no compression; 1 January 1980: the same files make the same zip. */
const [VERSION, UTF_8, STORED, MIDNIGHT, FIRST_DAY] = [20, 0x0800, 0, 0, 0x21];
/** Highest numbers of members and bytes of a zip without extensions. */
const MOST_MEMBERS = 0xffff;
const MOST_BYTES = 0xffffffff;

/**
 * Pack files into a zip as they are. The browser keeps a Blob's pieces where they lie, so no file is in memory whole:
 * each is read once, piece by piece, for its checksum.
 */
export async function zipOf(files: readonly FolderFile[], { tell, signal }: Packing = {}): Promise<Blob> {
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length > MOST_MEMBERS || size > MOST_BYTES) throw new RangeError("too much for one zip");
  const [members, directory]: [BlobPart[], BlobPart[]] = [[], []];
  let [at, read, listed] = [0, 0, 0];
  for (const { path, file } of [...files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const name = new TextEncoder().encode(path);
    const before = read;
    const sum = await checksum(file, (bytes) => {
      signal?.throwIfAborted();
      read = before + bytes;
      tell?.(read);
    });
    const about = [
      [VERSION, 2],
      [UTF_8, 2],
      [STORED, 2],
      [MIDNIGHT, 2],
      [FIRST_DAY, 2],
      [sum, 4],
      [file.size, 4],
      [file.size, 4],
      [name.length, 2],
      [0, 2],
    ] as const;
    members.push(numbers([LOCAL, 4], ...about), name, file);
    const where = [
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [at, 4],
    ] as const;
    directory.push(numbers([ENTRY, 4], [VERSION, 2], ...about, ...where), name);
    at += 30 + name.length + file.size;
    listed += 46 + name.length;
  }
  const count = files.length;
  const end = numbers([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [listed, 4], [at, 4], [0, 2]);
  return new Blob([...members, ...directory, end], { type: "application/zip" });
}

function numbers(...fields: readonly (readonly [value: number, bytes: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Return a file's CRC-32; `tell` receives the number of bytes read so far. */
async function checksum(file: Blob, tell: (read: number) => void): Promise<number> {
  let [sum, read] = [0xffffffff, 0];
  const pieces = file.stream().getReader();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    for (const byte of piece.value) sum = (TABLE[(sum ^ byte) & 0xff] as number) ^ (sum >>> 8);
    read += piece.value.length;
    tell(read);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
