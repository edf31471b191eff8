import { noTokens, type TokenCounts } from "../domain/Usage.ts"

/** About how many characters, in UTF-16 code units, make a token. */
const CHARACTERS_PER_TOKEN = 4

/** About how many tokens a provider counts for so many characters, where it does not say: UTF-16 code units. */
export const tokensOfCharacters = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN)

/**
 * More than any model takes or gives at once. Some servers tell a -1 as 4294967295, which would neither fit a column of
 * the database nor leave anything of a budget.
 */
const COUNT_MAX = 10_000_000
const possible = (count: number): number => (count <= COUNT_MAX ? count : 0)

/**
 * Counts what one answer took. Providers mostly tell it at the end, where an answer that is cut off never gets to, and
 * some servers never do. What is not told is estimated, by characters: nothing is ever for nothing, and never less than
 * the provider said.
 */
export class TokenCount {
  private told = noTokens
  /** Characters that came since the provider last counted them. */
  private uncounted = 0

  /** Text, thoughts or a tool's input, in UTF-16 code units. */
  came(characters: number): void {
    this.uncounted += characters
  }

  /** What the provider says of the whole answer as far as it has come. Zero is no count of something. */
  tell(given: TokenCounts): void {
    const tokens = {
      input: possible(given.input),
      output: possible(given.output),
      cacheRead: possible(given.cacheRead),
      cacheWrite: possible(given.cacheWrite),
    }
    const isCounted = tokens.output > 0
    this.told = isCounted ? tokens : { ...tokens, output: this.told.output }
    if (isCounted) this.uncounted = 0
  }

  /** `sent`: characters of what was sent, in UTF-16 code units. */
  total(sent: number): TokenCounts {
    const { cacheRead, cacheWrite, input, output } = this.told
    return {
      input: input + cacheRead + cacheWrite > 0 ? input : tokensOfCharacters(sent),
      output: output + tokensOfCharacters(this.uncounted),
      cacheRead,
      cacheWrite,
    }
  }
}
