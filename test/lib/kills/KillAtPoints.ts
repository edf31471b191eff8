import { Context, Effect, Exit, Scope } from "effect"
import { CheckpointInterval } from "../../../src/services/conversations/RepliesUnderWay.ts"
import { Client } from "../Client.ts"
import { providerAnswering } from "../FakeProvider.ts"
import { fakeKey } from "../FakeAnthropic.ts"
import { startFakeS3 } from "../FakeS3.ts"
import { random } from "../Random.ts"
import { operatorKey } from "../ServerProcess.ts"
import { answerTo, Clients, lastQuestion } from "./Clients.ts"
import type { KillPoint } from "./KillPoints.ts"
import { faultsOf } from "./Oracle.ts"
import { delivered, type Receiver, startReceiver, subscribe } from "./Receiver.ts"
import { blobKeysIn, leftovers, over, site, sweep } from "./Site.ts"
import { Victim } from "./Victim.ts"

/*
 * A server that is killed at chosen points of its work while clients chat, upload, replace and delete, and events are
 * sent to a webhook.
 */

/** The longest wait for a server to come to a point, and for the work to go on, in milliseconds. */
const PATIENCE = 120_000
const OCCURRENCES = 4

const servers = {
  LOG_LEVEL: "error",
  DEFAULT_MODEL: "claude-sonnet-5-5",
  ANTHROPIC_API_KEY: fakeKey,
  TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
}
/** Replies take about 300 ms. */
const checkpoints = Context.make(CheckpointInterval, "100 millis")

/**
 * Kills a server so many times, at one point after the other, and compares what it kept with what it acknowledged.
 * Returns the number of kills, and what is wrong, one line each.
 */
export const killAtPoints = Effect.fn("killAtPoints")(function* (options: {
  readonly kills: number
  readonly seed: number
  readonly points: ReadonlyArray<KillPoint>
  /** Whether files are kept in S3, and not in a directory. */
  readonly isInS3: boolean
}) {
  const draw = random(options.seed)
  const provider = yield* providerAnswering(({ body }) => ({ kind: "paced", text: answerTo(lastQuestion(body)) }))
  const s3 = options.isInS3 ? yield* bucket : undefined
  const at = yield* site({ ...servers, ANTHROPIC_BASE_URL: provider.url }, s3)
  const scope = yield* Scope.make()
  const victim = yield* Scope.provide(Victim.make(at, checkpoints), scope)
  if (s3 !== undefined) {
    s3.misbehave = ({ method }, proper) =>
      method === "PUT" ? proper().finally(() => victim.arrived("object")) : undefined
  }
  let kills = 0
  const faults: Array<string> = []

  const receiver = yield* startReceiver
  receiver.onDelivery = () => victim.arrived("delivery")
  const drive = async () => {
    await victim.start()
    const { id } = await new Client(await victim.url, operatorKey).newChatbot({ name: "The ships" })
    const webhook = await subscribe(new Client(await victim.url, operatorKey), receiver.url)
    const clients = new Clients(victim, id, draw)
    const working = clients.run()
    for (let count = 0; count < options.kills; count++) {
      const point = options.points[count % options.points.length]
      if (point === undefined) break
      // The work has got going.
      await clients.nextAcknowledged()
      victim.arm(point, 1 + Math.floor(draw() * OCCURRENCES))
      if (await victim.isKilledWithin(PATIENCE)) kills++
      else faults.push(`The server never came to the point "${point.name}": ${victim.log.slice(-500)}`)
      await recover(victim, clients, receiver)
    }
    clients.stop()
    await working
    await clients.settled()
    return { clients, webhook }
  }
  const { clients, webhook } = yield* Effect.promise(drive)
  yield* Scope.close(scope, Exit.void)
  // What was delivered just before the last kill is sent again.
  yield* sweep(at, (url) => delivered(new Client(url, operatorKey), webhook, PATIENCE))
  const found = yield* over(at.database, (sql) =>
    Effect.all({ faults: faultsOf(sql, clients, receiver.events), keys: blobKeysIn(sql) }),
  )
  return { kills, faults: [...faults, ...clients.faults, ...found.faults, ...leftovers(at, found.keys)] }
})

/** A bucket on a server that is stopped with the scope. */
const bucket = Effect.acquireRelease(
  Effect.promise(() => startFakeS3()),
  (s3) => Effect.promise(s3.stop),
)

/** Starts the server after a kill, and waits until all goes on. */
const recover = async (victim: Victim, clients: Clients, receiver: Receiver): Promise<void> => {
  const cut = Array.from(clients.underWay, ({ acknowledged }) => acknowledged)
  const next = [clients.nextAcknowledged(), receiver.nextDelivery()]
  await victim.start()
  await Promise.all([...next, ...cut, clients.settled()])
}
