/*
 * Places of a widget. An origin is what browsers send of an address: the scheme, the host and the port.
 */

/** Whether a list of allowed origins, such as `https://*.example.com`, allows an origin. */
export const allows = (allowed: ReadonlyArray<string>, origin: string): boolean =>
  allowed.some((each) => {
    if (each === "*" || each === origin) return true
    const [scheme, host] = each.split("://*.")
    if (scheme === undefined || host === undefined) return false
    return origin.startsWith(`${scheme}://`) && origin.endsWith(`.${host}`)
  })

/** Matches the beginning of an address on this machine, where websites rarely have a certificate. */
const local = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/i

/** The origin of an address as a person writes it. Without a scheme it is `http://` on this machine, and `https://` elsewhere. */
export const originOf = (address: string): string | undefined => {
  const text = address.trim()
  if (text === "") return undefined
  const url = URL.parse(
    /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `${local.test(text) ? "http" : "https"}://${text}`,
  )
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url.origin : undefined
}

/** The addresses of websites that a person has written, one a line or with commas, as the server wants them. */
export const originsIn = (text: string): ReadonlyArray<string> =>
  Array.from(
    new Set(
      text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((each) => {
          if (each === "*" || each.includes("*")) return each.replace(/\/+$/, "").toLowerCase()
          return originOf(each) ?? each
        }),
    ),
  )
