import { crc32, deflateSync } from "node:zlib"

const METERS_PER_INCH = 0.0254

const chunkOf = (type: string, content: Uint8Array): Uint8Array => {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(content.length, 0)
  ends.writeUInt32BE(crc32(typed), 4)
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)])
}

/**
 * Writes an image as PNG, packed little, because it is unpacked at once.
 *
 * @param rows 8 bits of grey for each pixel, and a byte before each row that is 0
 * @param resolution in dots per inch
 */
export const grayPng = (width: number, height: number, rows: Uint8Array, resolution: number): Uint8Array => {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  const density = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1])
  for (const at of [0, 4]) density.writeUInt32BE(Math.round(resolution / METERS_PER_INCH), at)
  return Buffer.concat([
    Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"),
    chunkOf("IHDR", head),
    chunkOf("pHYs", density),
    chunkOf("IDAT", deflateSync(rows, { level: 1 })),
    chunkOf("IEND", new Uint8Array()),
  ])
}
