import { parseArgs } from "node:util"
import { Effect } from "effect"
import { functions } from "../lib/effort/Functions.ts"
import { EXCESS_MAX, makeExcess } from "../lib/effort/Guard.ts"
import { REQUESTS, textOperations } from "../lib/effort/Operations.ts"
import { allUnits, ENGLISH, english, textOf } from "../lib/effort/Texts.ts"
import { unlimited } from "../lib/effort/Unlimited.ts"
import { random } from "../lib/Random.ts"
import { makeServer } from "../lib/TestServer.ts"

/** Of so many texts that the functions are given, one is also sent through an operation, since that takes longer. */
const FUNCTIONS_PER_OPERATION = 40

interface Slow {
  readonly what: string
  readonly unit: string
  readonly milliseconds: number
}

/**
 * `bun run bench fuzz [--minutes 30] [--seed N] [--only TEXT]`: looks for a text that takes over 50 ms of processor time
 * more than plain English of its length, in the functions that analyse texts and in every operation that takes one. The
 * texts are made from every character that normalization makes longer, every script and all punctuation, then from
 * random mixtures of them. It prints what it finds and fails if there is anything. `--only` names operations and functions
 * by a part of their names.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: Array.from(args),
    options: {
      minutes: { type: "string", default: "30" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      only: { type: "string", default: "" },
    },
  })
  const draw = random(Number(values.seed))
  process.stdout.write(`seed ${values.seed}\n`)
  const until = performance.now() + Number(values.minutes) * 60_000
  const { slow, texts } = await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeServer(unlimited), ({ client }) =>
        Effect.promise(() => search(client, draw, values.only, until)),
      ),
    ),
  )
  process.stdout.write(`${texts} texts, ${slow.length} of them over ${EXCESS_MAX} ms more than English\n`)
  process.exit(slow.length === 0 ? 0 : 1)
}

const search = async (
  client: Parameters<typeof textOperations>[0],
  draw: () => number,
  only: string,
  until: number,
) => {
  const excess = await makeExcess()
  const isAsked = (name: string) => name.includes(only)
  const operations = (await textOperations(client)).filter(({ name }) => isAsked(name))
  const works = Object.entries(functions).filter(([name]) => isAsked(name))
  const slow: Array<Slow> = []
  let texts = 0
  const note = (what: string, unit: string, milliseconds: number) => {
    texts++
    if (milliseconds === 0) return
    slow.push({ what, unit, milliseconds })
    process.stdout.write(`  ${what}: ${JSON.stringify(unit.slice(0, 60))} ${milliseconds.toFixed(0)} ms\n`)
  }
  for (const unit of allUnits(draw)) {
    if (performance.now() > until) break
    for (const [name, [work, length]] of works) {
      note(name, unit, await excess(work, textOf(unit, length), english(length)))
    }
    const operation = operations[Math.floor(draw() * operations.length)]
    const isTurn = works.length === 0 || draw() < works.length / FUNCTIONS_PER_OPERATION
    if (operation === undefined || !isTurn) continue
    const send = (of: string) => operation.send((length) => textOf(of, length))
    note(operation.name, unit, await excess(send, unit, ENGLISH, REQUESTS))
  }
  return { slow, texts }
}
