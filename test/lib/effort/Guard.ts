/*
 * Compares the processor time that a text takes with that of plain English of the same length. Only the time of this
 * thread counts, in which the server of a test runs, so that other programs on the machine do not matter.
 */

/** How much more a text may take than English of its length, in milliseconds of a machine of today. */
export const EXCESS_MAX = 50

const ROUNDS = 300_000
/** What `ROUNDS` of the work below take on a machine of today, in milliseconds. */
const USUAL = 6
/** Bytes of new memory, and what it takes to fill and to copy them, in milliseconds. */
const NEW_BYTES = 8 << 20
const USUAL_OF_MEMORY = 8
const TRIES = 5

const computed = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** The processor time of some work in milliseconds: the least of up to so many tries, until it is below a limit. */
export const least = async (work: () => unknown, limit: number, tries = TRIES): Promise<number> => {
  let shortest = Number.POSITIVE_INFINITY
  for (let left = tries; left > 0 && shortest > limit; left--) {
    const before = computed()
    await work()
    shortest = Math.min(shortest, computed() - before)
  }
  return shortest
}

/** How many times as long as on a machine of today this machine takes, at least 1. */
export const slowness = async (): Promise<number> => {
  const work = () => {
    const words = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++) {
      const word = String(round % 1_000)
      words.set(word, (words.get(word) ?? 0) + 1)
    }
    return words
  }
  return Math.max(1, (await least(work, 0)) / USUAL)
}

/**
 * The same for work that takes new memory as well, such as that on large files: where a machine is one of many on another,
 * memory that it has not used for a while takes ten times as long.
 */
export const slownessWithMemory = async (): Promise<number> => {
  const fill = () => new Uint8Array(NEW_BYTES).fill(1).slice()
  return Math.max(await slowness(), (await least(fill, 0, 1)) / USUAL_OF_MEMORY)
}

/**
 * What a text takes more than English, in milliseconds, as on a machine of today; 0 where it is within the limit of so
 * many requests.
 */
export type Excess = (
  work: (text: string) => unknown,
  text: string,
  plain: string,
  requests?: number,
) => Promise<number>

/** Makes the function that measures the excess of texts. English is only measured for a text that takes long. */
export const makeExcess = async (): Promise<Excess> => {
  const slow = await slowness()
  return async (work, text, plain, requests = 1) => {
    const limit = EXCESS_MAX * slow * requests
    const taken = await least(() => work(text), limit)
    if (taken <= limit) return 0
    // The first run of the two compiles what the other one uses.
    const usual = await least(() => work(plain), 0, 3)
    if (taken - usual <= limit) return 0
    const again = await least(() => work(text), usual + limit)
    // Beside other programs the same work takes more of a processor than it took at the start.
    const excess = (again - usual) / Math.max(slow, await slowness())
    return excess <= EXCESS_MAX * requests ? 0 : excess
  }
}
