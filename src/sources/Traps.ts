/*
 * Links without an end: calendars, parameters that vary for ever, paths that repeat themselves. They are noticed by the
 * addresses alone, before anything is requested.
 */

/** A part of a path may occur this often in one address. */
const REPEATS_MAX = 3
/** Addresses that differ only by what follows the question mark: forums and wikis have all of their pages so. */
const VARIANTS_MAX = 1_000
/** Addresses that differ only by a date. */
const DATES_MAX = 100
/** A parameter is noise when so many pages with it were known by another address, and hardly any was new. */
const NOISE_MIN = 10
const NOISE_SHARE = 0.9

const DATE = /(?:^|[/=_-])(?:19|2\d)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?=$|[-/_.?&])|[?&](?:year|month|week|day|date)=\d/i

const parametersOf = (url: URL): ReadonlyArray<string> => [...new Set(url.searchParams.keys())]

/** Remembers the addresses of a run, and refuses those that look like a trap. */
export class Traps {
  private readonly variants = new Map<string, number>()
  private readonly parameters = new Map<string, { same: number; other: number }>()

  /** Says why an address that was not met before looks like a trap; undefined when it does not, and counts. */
  refusal(address: string): string | undefined {
    const url = new URL(address)
    const parts = Map.groupBy(
      url.pathname.split("/").filter((part) => part !== ""),
      (part) => part,
    )
    if ([...parts.values()].some(({ length }) => length > REPEATS_MAX)) return "Its path repeats itself."
    const noise = parametersOf(url).find((name) => this.isNoise(name))
    if (noise !== undefined) return `Addresses with “${noise}=” lead to pages that have another address.`
    const path = url.host + url.pathname
    if (url.search !== "" && !this.count(path, VARIANTS_MAX))
      return `More than ${VARIANTS_MAX} addresses differ from it only by what follows the “?”.`
    const shape = address.replaceAll(/\d+/g, "0")
    if (DATE.test(url.pathname + url.search) && !this.count(shape, DATES_MAX))
      return `More than ${DATES_MAX} addresses differ from it only by a date, as those of a calendar.`
    return undefined
  }

  /** Learns whether a page has the text of another one, which shows that a parameter changes nothing. */
  learn(address: string, isSame: boolean): void {
    for (const name of parametersOf(new URL(address))) {
      const seen = this.parameters.get(name) ?? { same: 0, other: 0 }
      seen[isSame ? "same" : "other"]++
      this.parameters.set(name, seen)
    }
  }

  private isNoise(name: string): boolean {
    const { other, same } = this.parameters.get(name) ?? { same: 0, other: 0 }
    return same >= NOISE_MIN && same >= NOISE_SHARE * (same + other)
  }

  private count(key: string, most: number): boolean {
    const found = this.variants.get(key) ?? 0
    if (found >= most) return false
    this.variants.set(key, found + 1)
    return true
  }
}
