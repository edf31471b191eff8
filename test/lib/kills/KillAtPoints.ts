import { Context, Effect, Exit, Scope } from "effect"
import { CheckpointInterval } from "../../../src/services/conversations/RepliesUnderWay.ts"
import { Client } from "../Client.ts"
import { providerAnswering } from "../FakeProvider.ts"
import { fakeKey } from "../FakeAnthropic.ts"
import { startFakeS3 } from "../FakeS3.ts"
import { random } from "../Random.ts"
import { operatorKey } from "../ServerProcess.ts"
import { answerTo, Clients, lastQuestion } from "./Clients.ts"
import { type KillPoint, killPoints, s3KillPoints } from "./KillPoints.ts"
import { faultsOf } from "./Oracle.ts"
import { delivered, type Receiver, startReceiver, subscribe } from "./Receiver.ts"
import { blobKeysIn, leftovers, over, site, sweep } from "./Site.ts"
import { Victim } from "./Victim.ts"

/*
 * A server that is killed at chosen points of its work while clients chat, upload, replace and delete, and events are
 * sent to a webhook.
 */

export interface PointsReport {
  /** The number of kills at each point, by its name. */
  readonly kills: ReadonlyMap<string, number>
  /** Requests that were sent again because there was no answer. */
  readonly retries: number
  readonly acknowledged: number
  /** What is wrong, one line each. */
  readonly faults: ReadonlyArray<string>
  /** For each kill, milliseconds until something else was true again. */
  readonly recoveries: ReadonlyArray<Recovery>
}

/** Milliseconds from a kill. */
export interface Recovery {
  readonly point: string
  /** Until the server, which is started at once, listened. */
  readonly listening: number
  /** Until a request was acknowledged. */
  readonly working: number
  /** Until every request was acknowledged that was under way at the kill. */
  readonly resumed: number
  /** Until every document was searchable that was waiting when the server listened again. */
  readonly settled: number
  /** Until an event arrived at the customer's server. */
  readonly delivered: number
}

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

/** Kills a server so many times, at one point after the other, and compares what it kept with what it acknowledged. */
export const killAtPoints = Effect.fn("killAtPoints")(function* (options: {
  readonly kills: number
  readonly seed: number
  /** Where files are kept: in a directory unless it is `s3`. */
  readonly store?: "s3"
  readonly points?: ReadonlyArray<KillPoint>
  readonly tell: (line: string) => void
}) {
  const draw = random(options.seed)
  const provider = yield* providerAnswering(({ body }) => ({ kind: "paced", text: answerTo(lastQuestion(body)) }))
  const s3 = options.store && (yield* bucket)
  const at = yield* site({ ...servers, ANTHROPIC_BASE_URL: provider.url }, s3)
  const scope = yield* Scope.make()
  const victim = yield* Scope.provide(Victim.make(at, checkpoints), scope)
  const points = options.points ?? [...killPoints, ...(s3 === undefined ? [] : s3KillPoints)]
  if (s3 !== undefined) {
    s3.misbehave = ({ method }, proper) =>
      method === "PUT" ? proper().finally(() => victim.arrived("object")) : undefined
  }
  const kills = new Map(points.map(({ name }) => [name, 0]))
  const recoveries: Array<Recovery> = []
  const faults: Array<string> = []

  const receiver = yield* Effect.acquireRelease(Effect.sync(startReceiver), ({ stop }) => Effect.promise(stop))
  receiver.onDelivery = () => victim.arrived("delivery")
  const drive = async () => {
    await victim.start()
    const { id } = await new Client(await victim.url, operatorKey).newChatbot({ name: "The ships" })
    const webhook = await subscribe(new Client(await victim.url, operatorKey), receiver.url)
    const clients = new Clients(victim, id, draw)
    const working = clients.run()
    for (let count = 0; count < options.kills; count++) {
      const point = points[count % points.length]
      if (point === undefined) break
      // The work has got going.
      await clients.nextAcknowledged()
      victim.arm(point, 1 + Math.floor(draw() * OCCURRENCES))
      if (await victim.isKilledWithin(PATIENCE)) kills.set(point.name, (kills.get(point.name) ?? 0) + 1)
      else faults.push(`The server never came to the point "${point.name}": ${victim.log.slice(-500)}`)
      const recovery = await recover(victim, clients, receiver, point.name)
      recoveries.push(recovery)
      const { delivered, listening, resumed, settled, working } = recovery
      const times = { listens: listening, works: working, resumed, settled, delivered }
      const words = Object.entries(times).map(([name, millis]) => `${name} ${millis} ms`)
      options.tell(`${point.name}: ${words.join(", ")}`)
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
  return {
    kills,
    retries: clients.retries,
    acknowledged: clients.acknowledged,
    recoveries,
    faults: [...faults, ...clients.faults, ...found.faults, ...leftovers(at, found.keys)],
  } satisfies PointsReport
})

/** A bucket on a server that is stopped with the scope. */
const bucket = Effect.acquireRelease(
  Effect.promise(() => startFakeS3()),
  (s3) => Effect.promise(s3.stop),
)

/** Starts the server after a kill, and measures how long it takes until all goes on. */
const recover = async (victim: Victim, clients: Clients, receiver: Receiver, point: string): Promise<Recovery> => {
  const killed = performance.now()
  const passed = () => Math.round(performance.now() - killed)
  const cut = Array.from(clients.underWay, ({ acknowledged }) => acknowledged)
  const firstAcknowledged = clients.nextAcknowledged().then(passed)
  const firstDelivered = receiver.nextDelivery().then(passed)
  await victim.start()
  const listening = passed()
  const [working, resumed, settled, delivered] = await Promise.all([
    firstAcknowledged,
    Promise.all(cut).then(passed),
    clients.settled().then(passed),
    firstDelivered,
  ])
  return { point, listening, working, resumed, settled, delivered }
}
