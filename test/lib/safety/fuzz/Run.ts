import type { Client } from "../../Client.ts"
import { readApiDocument } from "../ApiDocument.ts"
import { publish, visit } from "../../Visitors.ts"
import { makeBelongings, makeMember } from "../Belongings.ts"
import { faultOf } from "./Answers.ts"
import { Draw } from "./Draw.ts"
import { type FuzzRequest, Requests, type Target } from "./Requests.ts"
import { WireConnection } from "./Wire.ts"

/*
 * Sends made requests to a server, and checks its answers against its own OpenAPI document.
 */

/** An answer that is not as it has to be. */
export interface Fault {
  readonly request: FuzzRequest
  readonly what: string
}

export interface FuzzReport {
  /** The answers by status; `closed` and `hangs` where there was none. */
  readonly outcomes: ReadonlyMap<string, number>
  readonly faults: ReadonlyArray<Fault>
}

export interface FuzzSettings {
  readonly seed: number
  readonly requests: number
  /** The connections on which requests are sent at once. */
  readonly connections: number
  /** Milliseconds after which a request counts as hanging. */
  readonly timeout: number
}

/** After so many requests they are about another organization, because many things are deleted by then. */
const REQUESTS_PER_ORGANIZATION = 1_000
/** The chatbots with something of every kind that requests name. */
const CHATBOTS = 3

const makeTarget = async (operator: Client): Promise<Target & { readonly remove: () => Promise<unknown> }> => {
  const { canary, client, organization, own } = await makeMember(operator)
  const others = await Promise.all(
    Array.from({ length: CHATBOTS - 1 }, () => makeBelongings(client, organization, canary)),
  )
  return {
    host: new URL(operator.url).host,
    key: client.key ?? "",
    operatorKey: operator.key ?? "",
    visitorToken: (await visit(client, await publish(client, own.chatbot))).session.token,
    things: [own, ...others],
    remove: () => operator.delete(`/api/admin/organizations/${organization}`),
  }
}

/** Sends so many requests with a client of the operator, and reports what came of them. */
export const fuzz = async (operator: Client, settings: FuzzSettings): Promise<FuzzReport> => {
  const document = readApiDocument((await operator.get("/openapi.json")).body)
  const requests = new Requests(document, new Draw(settings.seed))
  await requests.load()
  const outcomes = new Map<string, number>()
  const faults: Array<Fault> = []
  let left = settings.requests
  while (left > 0) {
    const target = await makeTarget(operator)
    requests.renew()
    let share = Math.min(left, REQUESTS_PER_ORGANIZATION)
    left -= share
    await Promise.all(
      Array.from({ length: settings.connections }, async () => {
        const connection = new WireConnection(operator.url, settings.timeout)
        while (share-- > 0) {
          const request = requests.make(target)
          const outcome = await connection.send(request)
          const kind = typeof outcome === "string" ? outcome : String(outcome.status)
          outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
          const what = faultOf(document, request, outcome)
          if (what !== undefined) faults.push({ request, what })
        }
        connection.close()
      }),
    )
    await target.remove()
  }
  return { outcomes, faults }
}
