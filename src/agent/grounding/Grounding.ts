import { Effect } from "effect"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import { languageOfReply } from "../../language/Detection.ts"
import { inTurns } from "../../system/InTurns.ts"
import { bounded } from "../../text/BoundedText.ts"
import { check, type Verdict } from "./ClaimCheck.ts"
import { type Claim, claimsIn, piecesOf } from "./Claims.ts"
import { Evidence } from "./Evidence.ts"
import { type Quantity, quantitiesIn, readable } from "./Quantities.ts"

/** What a model was given for a reply. */
export interface Given {
  /** Passages and results of tools. */
  readonly texts: ReadonlyArray<string>
  /** Messages and instructions, whose words and numbers a reply may repeat. */
  readonly said: ReadonlyArray<string>
}

/** A claim with what words say of it; undefined where they support it. */
export interface Checked {
  readonly claim: Claim
  readonly verdict: Verdict | "unsure" | undefined
}

/** The number of texts that were given last, with which a reply is compared. */
const TEXTS_MAX = 50
/** Length of a sample that shows the language of a reply, in UTF-16 code units. */
const SAMPLE_LENGTH = 500

/** Compares the claims of a reply with what its model was given. It lets other fibers run in between. */
export const checkReply = Effect.fnUntraced(function* (reply: string, { said, texts }: Given) {
  // The question shows the language of a reply that is short.
  const sample = bounded(`${reply.slice(0, SAMPLE_LENGTH)}\n${said.at(-1)?.slice(0, SAMPLE_LENGTH) ?? ""}`)
  const given = texts.slice(-TEXTS_MAX)
  const samples = [...said, ...given].map((text) => bounded(text.slice(0, SAMPLE_LENGTH)))
  const language = languageOfReply(sample, samples)
  const evidence = new Evidence()
  yield* inTurns(given, (text) => evidence.add(text, [language]), 1)
  yield* inTurns(said, (text) => evidence.addSaid(text, [language]), 1)
  const claims = (yield* inTurns(piecesOf(reply), claimsIn, 1)).flat()
  const earlier: Array<Quantity> = []
  const verdicts = new Map<string, Checked["verdict"]>()
  const verdictOf = (claim: Claim) => {
    const key = `${claim.isLead} ${claim.text}`
    if (!verdicts.has(key)) {
      verdicts.set(key, check(claim, earlier, evidence, language))
      earlier.push(...quantitiesIn(readable(claim.text), [language]))
    }
    return verdicts.get(key)
  }
  return yield* inTurns(claims, (claim): Checked => ({ claim, verdict: verdictOf(claim) }), 1)
})

/** A claim that is not supported, with its place. */
export const unsupportedOf = (reply: string, { end, start }: Claim, verdict: Verdict): Unsupported => ({
  sentence: reply.slice(start, end),
  start,
  end,
  ...verdict,
})
