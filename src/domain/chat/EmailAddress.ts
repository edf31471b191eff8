const localPart = /[\p{L}\p{N}._%+-]+$/u
const domain = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,63}/u
/** Longest local part and domain of an address, in UTF-16 code units. */
const LOCAL_PART_MAX = 64
const DOMAIN_MAX = 255
/** Most at signs of a message that are looked at: nobody writes more of them before an address. */
const AT_SIGNS_MAX = 20

/**
 * The first e-mail address in a message. The search begins at the at signs: beginning at every letter takes quadratic
 * time, and a conversation holds many long messages.
 */
export const findEmail = (text: string): string | undefined => {
  let at = text.indexOf("@")
  for (let sign = 0; sign < AT_SIGNS_MAX && at !== -1; sign++, at = text.indexOf("@", at + 1)) {
    const [host] = domain.exec(text.slice(at + 1, at + 1 + DOMAIN_MAX)) ?? []
    const [name] = localPart.exec(text.slice(Math.max(0, at - LOCAL_PART_MAX), at)) ?? []
    if (name !== undefined && host !== undefined) return `${name}@${host}`
  }
  return undefined
}

/** A message with at most this many words beside its e-mail address asks nothing else. */
const WORDS_BESIDE = 5

/** Whether a message holds an e-mail address and no question of its own. */
export const isOnlyEmail = (text: string): boolean => {
  const email = findEmail(text)
  if (email === undefined || /[?？؟]/.test(text)) return false
  const words = text.replace(email, "").matchAll(/[\p{L}\p{N}]+/gu)
  return words.take(WORDS_BESIDE + 1).toArray().length <= WORDS_BESIDE
}
