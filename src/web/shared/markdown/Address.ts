/**
 * Returns the address of a link as the browser will read it, or `undefined` where a reply must not link to it: only
 * absolute `http`, `https` and `mailto` addresses are links.
 */
export const safeAddress = (href: string): string | undefined => {
  const url = URL.parse(href.trim())
  if (url === null) return undefined
  if (url.protocol === "mailto:") return url.href
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  // A name before the host reads like the host: https://bank.example@other.example
  return url.username === "" && url.password === "" ? url.href : undefined
}
