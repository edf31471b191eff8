const randomBytes = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16))

/** Makes a UUID of version 4, also on pages without https, where the browser has no `crypto.randomUUID`. */
export const randomUuid = (): string => {
  const bytes = randomBytes()
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5")
}

/** Makes 128 random bits in base64url. */
export const randomSecret = (): string =>
  btoa(String.fromCharCode(...randomBytes()))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
