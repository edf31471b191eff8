import type { Response } from "effect/ai"
import { noTokens, type TokenCounts } from "../domain/organizations/Usage.ts"

/** The average length of a token, in UTF-16 code units. */
const CHARACTERS_PER_TOKEN = 4

/** Estimates the tokens of a text of so many UTF-16 code units, where the provider does not report them. */
export const tokensOfCharacters = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN)

/**
 * The largest count that is believed: no model reads or writes more tokens in one call. Some servers report -1 as
 * 4294967295, which would neither fit into the database's column nor leave anything of a budget.
 */
const COUNT_MAX = 10_000_000
const plausible = (count: number): number => (count <= COUNT_MAX ? count : 0)

/**
 * Counts the tokens of one request and its answer. Providers mostly report them at the end, which an answer that is cut
 * off never reaches, and some servers never do. Tokens that are not reported are estimated from the characters, so the
 * total is never zero, and never less than the provider reported.
 */
export class TokenCount {
  private reported = noTokens
  /** The characters that were received since the provider's last report of output tokens. */
  private uncounted = 0

  /** Adds the length of a received text, of reasoning, or of a tool's input, in UTF-16 code units. */
  addCharacters(characters: number): void {
    this.uncounted += characters
  }

  /** Records the provider's count of the whole answer so far. Zero output tokens count as not reported. */
  report(report: TokenCounts): void {
    const tokens = {
      input: plausible(report.input),
      output: plausible(report.output),
      cacheRead: plausible(report.cacheRead),
      cacheWrite: plausible(report.cacheWrite),
    }
    const isCounted = tokens.output > 0
    this.reported = isCounted ? tokens : { ...tokens, output: this.reported.output }
    if (isCounted) this.uncounted = 0
  }

  /** The tokens of the call. `bodyLength` is the length of the request's body, in UTF-16 code units. */
  total(bodyLength: number): TokenCounts {
    const { cacheRead, cacheWrite, input, output } = this.reported
    return {
      input: input + cacheRead + cacheWrite > 0 ? input : tokensOfCharacters(bodyLength),
      output: output + tokensOfCharacters(this.uncounted),
      cacheRead,
      cacheWrite,
    }
  }
}

/** The tokens that a provider reports at the end of an answer. */
export const readTokens = ({ inputTokens, outputTokens }: Response.FinishPartEncoded["usage"]): TokenCounts => ({
  input: inputTokens.uncached ?? inputTokens.total ?? 0,
  output: outputTokens.total ?? 0,
  cacheRead: inputTokens.cacheRead ?? 0,
  cacheWrite: inputTokens.cacheWrite ?? 0,
})
