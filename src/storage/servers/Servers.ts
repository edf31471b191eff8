import { Context, Effect } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"

/**
 * The server processes that share a database, as one of them sees them. On the embedded database, which one process
 * uses at a time, there is none beside it.
 */
export interface ServersShape {
  /** The id of this process; undefined on the embedded database. */
  readonly id: string | undefined
  /** Whether this process knows of another one. */
  readonly hasOthers: () => boolean
  /** Makes the id of a lease or of a reservation from a random one, so that it names the server that has it. */
  readonly idOf: (random: string) => string
  /** Runs `takeOver` for each server that has ended without giving its work back, soon after its end. */
  readonly onDeath: (takeOver: TakeOver) => Effect.Effect<void>
}

/** Takes over a kind of work of a server that has ended. It may run more than once, and in several processes. */
export type TakeOver = (dead: DeadServer) => Effect.Effect<unknown, Unavailable>

/** A server that has ended. */
export interface DeadServer {
  readonly id: string
  /** The first and the last id that a lease or a reservation of the server can have. */
  readonly ids: readonly [first: string, last: string]
}

/** The part of an id that names the server: its first half, which has 60 random bits. */
const HALF = "00000000-0000-4000".length

/** Makes an id that begins as the server's does. */
export const idWithin = (server: string, random: string): string => server.slice(0, HALF) + random.slice(HALF)

export const deadServer = (id: string): DeadServer => ({
  id,
  ids: [`${id.slice(0, HALF)}-0000-000000000000`, `${id.slice(0, HALF)}-ffff-ffffffffffff`],
})

/** The servers of the database that a layer uses. */
export const Servers = Context.Reference<ServersShape>("parley/storage/servers/Servers", {
  defaultValue: () => ({ id: undefined, hasOthers: () => false, idOf: (random) => random, onDeath: () => Effect.void }),
})
