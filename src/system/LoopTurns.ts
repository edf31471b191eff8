import { Context, Effect } from "effect"
import { CurrentOrganization } from "../domain/Tenancy.ts"

/*
 * Organizations take turns on the event loop. Without them, an organization with a hundred requests under way would
 * run a hundred pieces of work between two of another organization, whose requests have a dozen pieces each.
 *
 * A piece of work is what follows an answer of the database or of a model until the next wait. While one organization
 * is alone, nothing is queued and no time is lost.
 */

/** For this long after two organizations were seen one after the other, organizations take turns. In milliseconds. */
const TOGETHER_MILLISECONDS = 1_000

/** Gives out the turns of one event loop, with a clock in milliseconds that only ever goes on. */
export const makeLoopTurns = (now: () => number): ((organization: string) => Effect.Effect<void> | undefined) => {
  /** The pieces of work that wait, by organization, oldest first. */
  const queues = new Map<string, Array<() => void>>()
  /** The organizations of which a piece has run in this turn of the event loop. */
  const ran = new Set<string>()
  let last: string | undefined
  /** The time until which organizations take turns; 0 while one is alone. */
  let togetherUntil = 0
  let isScheduled = false

  /** Whether organizations take turns, now that work of this one goes on. */
  const isTogether = (organization: string): boolean => {
    if (organization === last && togetherUntil === 0) return false
    const time = now()
    if (organization !== last) {
      if (last !== undefined) togetherUntil = time + TOGETHER_MILLISECONDS
      last = organization
    }
    if (time >= togetherUntil) togetherUntil = 0
    return togetherUntil > 0
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(runOneOfEach)
  }

  /** Runs the oldest piece of each organization. What the sockets bring comes before the next ones. */
  const runOneOfEach = (): void => {
    isScheduled = false
    ran.clear()
    for (const [organization, queue] of queues) {
      const next = queue.shift()
      if (queue.length === 0) queues.delete(organization)
      ran.add(organization)
      next?.()
    }
    if (ran.size > 0) schedule()
  }

  return (organization) => {
    if (!isTogether(organization)) return undefined
    if (!ran.has(organization) && !queues.has(organization)) {
      ran.add(organization)
      schedule()
      return undefined
    }
    return Effect.callback<void>((resume) => {
      const goOn = () => resume(Effect.void)
      const queue = queues.get(organization)
      if (queue === undefined) queues.set(organization, [goOn])
      else queue.push(goOn)
      schedule()
      // An interrupted piece keeps its place in the queue, where it does nothing.
    })
  }
}

/**
 * Waits for the turn of this organization; undefined when its work can go on at once. Effect's clock would be looked up
 * for each piece of work.
 */
const turnOf = makeLoopTurns(() => performance.now())

/** Waits for the turn of the fiber's organization, if the fiber works for one. */
export const turn: Effect.Effect<void> = Effect.withFiber((fiber) => {
  const organization = Context.getOrUndefined(fiber.context, CurrentOrganization)
  return (organization === undefined ? undefined : turnOf(organization)) ?? Effect.void
})
