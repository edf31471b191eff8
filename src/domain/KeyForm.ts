const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** 62^6 > 2^32, so six characters hold a CRC-32. */
const CHECKSUM_LENGTH = 6

const base62 = (value: number, length: number): string => {
  let digits = ""
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 62))
    digits = alphabet.charAt(rest % 62) + digits
  return digits
}

const checksum = (letters: string): string => base62(Bun.hash.crc32(letters), CHECKSUM_LENGTH)

/**
 * Form of the keys of one kind: a prefix, so many random characters of [0-9A-Za-z], and a checksum by which a typing
 * error is recognized without the database.
 */
export interface KeyForm {
  /** Whether a text has the prefix, the length and the alphabet of such a key, with any checksum. */
  readonly fits: (text: string) => boolean
  /** Whether the checksum of a text that fits is right. */
  readonly isSound: (text: string) => boolean
  /** A new key from random bytes: about 5 % more of them than the key has random characters, and some to spare. */
  readonly make: (random: Uint8Array) => string
}

export const keyForm = (prefix: string, length: number): KeyForm => {
  const form = new RegExp(`^${prefix}[0-9A-Za-z]{${length + CHECKSUM_LENGTH}}$`)
  return {
    fits: (text) => form.test(text),
    isSound: (text) => text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(prefix.length, -CHECKSUM_LENGTH)),
    make: (random) => {
      // 248 = 4 × 62, so that no letter is likelier than another.
      const drawn = Array.from(random)
        .filter((byte) => byte < 248)
        .slice(0, length)
      if (drawn.length < length) throw new RangeError("A key needs more random bytes")
      const letters = drawn.map((byte) => alphabet.charAt(byte % 62)).join("")
      return prefix + letters + checksum(letters)
    },
  }
}
