/*
 * Signed and encrypted messages of S/MIME (RFC 8551): a signed one is in a structure of ASN.1 (RFC 5652), together with
 * its signature, which is not checked here.
 */

/** A value of ASN.1. */
interface Node {
  readonly tag: number
  readonly content: Uint8Array
  /** The length with its tag and the mark of its end. */
  readonly length: number
}

const MAX_DEPTH = 12
/** The bit of a tag that says that the value consists of others. */
const CONSTRUCTED = 0x20
const OCTETS = 0x04
const SEQUENCE = 0x30
const EXPLICIT = 0xa0
/** The object identifiers of signed data and of what is encrypted, as bytes in hexadecimal digits. */
const SIGNED = "2a864886f70d010702"
const ENCRYPTED = new Set(["2a864886f70d010703", "2a864886f70d010706", "2a864886f70d0109100117"])

/** Reads the value at the start of the bytes; undefined where they end within it. */
const nodeAt = (bytes: Uint8Array, depth = 0): Node | undefined => {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined || depth > MAX_DEPTH) return undefined
  if (first === 0x80) {
    // Without a length, it ends where a value of two zeros is.
    let at = 2
    while ((bytes[at] ?? 0) !== 0 || (bytes[at + 1] ?? 0) !== 0) {
      const child = nodeAt(bytes.subarray(at), depth + 1)
      if (child === undefined) return undefined
      at += child.length
    }
    return { tag, content: bytes.subarray(2, at), length: at + 2 }
  }
  const size = first > 0x80 ? first - 0x80 : 0
  if (size > 4) return undefined
  const length = size === 0 ? first : bytes.subarray(2, 2 + size).reduce((sum, byte) => sum * 256 + byte, 0)
  const start = 2 + size
  return start + length > bytes.length
    ? undefined
    : { tag, content: bytes.subarray(start, start + length), length: start + length }
}

const childrenOf = ({ content }: Node): ReadonlyArray<Node> => {
  const children: Array<Node> = []
  for (let at = 0; at < content.length;) {
    const child = nodeAt(content.subarray(at))
    if (child === undefined) break
    children.push(child)
    at += child.length
  }
  return children
}

/** The bytes of a string, which may be in pieces. */
const octetsOf = (node: Node, depth = 0): Uint8Array =>
  (node.tag & CONSTRUCTED) === 0 || depth > MAX_DEPTH
    ? node.content
    : Buffer.concat(childrenOf(node).map((piece) => octetsOf(piece, depth + 1)))

/** What a structure holds: the bytes that are signed; `"encrypted"`; or undefined where it holds nothing that is known. */
export const contentOfCms = (bytes: Uint8Array): Uint8Array | "encrypted" | undefined => {
  const outer = nodeAt(bytes)
  const [type, wrapped] = outer === undefined ? [] : childrenOf(outer)
  const id = Buffer.from(type?.content ?? []).toString("hex")
  if (ENCRYPTED.has(id)) return "encrypted"
  const [data] = wrapped === undefined || id !== SIGNED ? [] : childrenOf(wrapped)
  const inner = (data === undefined ? [] : childrenOf(data)).find(({ tag }) => tag === SEQUENCE)
  const [, signed] = inner === undefined ? [] : childrenOf(inner)
  const [octets] = signed?.tag === EXPLICIT ? childrenOf(signed) : []
  return octets !== undefined && (octets.tag & ~CONSTRUCTED) === OCTETS ? octetsOf(octets) : undefined
}
