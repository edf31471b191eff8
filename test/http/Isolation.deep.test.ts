import { describe, expect, test } from "bun:test"
import { Context, Duration } from "effect"
import type { PersonRole } from "../../src/domain/people/Role.ts"
import { CrawlPace } from "../../src/sources/PoliteFetch.ts"
import {
  checkOperation,
  checkTool,
  keyedOperations,
  openOperations,
  refusesKeys,
  visitorOperations,
} from "../lib/safety/Matrix.ts"
import { mcpOperations } from "../lib/safety/McpCalls.ts"
import { checkRoles, makeTeam } from "../lib/safety/Roles.ts"
import { sampleOf } from "../lib/Sample.ts"
import { makeWorld } from "../lib/safety/World.ts"
import { startServer } from "../lib/TestServer.ts"

// The websites of its requests do not exist, and nobody needs to wait for them.
const pace = { ...CrawlPace.defaultValue(), pauseMin: Duration.zero, retryPause: Duration.zero }
const world = await makeWorld(await startServer({}, Context.make(CrawlPace, pace)))
const team = await makeTeam(world)

describe("an organization, and keys that may not, reach nothing of another by", () => {
  test.each(keyedOperations(world).map((operation) => [operation.name, operation] as const))(
    "%s",
    async (_, operation) => {
      const { cells, failures } = await checkOperation(world, operation)
      expect(failures).toEqual([])
      // Without a scope there is no key that lacks it.
      expect(cells).toBeGreaterThanOrEqual(operation.scope === undefined ? 6 : 8)
    },
  )
})

describe("an organization, and keys that may not, reach nothing of another by the tool", () => {
  test.each(mcpOperations.map((operation) => [operation.name, operation] as const))("%s", async (_, operation) => {
    const { cells, failures } = await checkTool(world, operation)
    expect(failures).toEqual([])
    expect(cells).toBeGreaterThanOrEqual(8)
  })
})

describe("an API key, whatever it may do, does not pass for a visitor of the chat widget by", () => {
  test.each(visitorOperations(world).map((operation) => [operation.name, operation] as const))(
    "%s",
    async (_, operation) => expect((await refusesKeys(world, operation)).failures).toEqual([]),
  )
})

describe("people do what their roles allow, and nothing else, with their chatbot and with another one, by", () => {
  test.each(sampleOf(keyedOperations(world), 4).map((operation) => [operation.name, operation] as const))(
    "%s",
    async (_, operation) => {
      const { cells, failures } = await checkRoles(world, team, operation)
      expect(failures).toEqual([])
      expect(cells).toBe(2 * team.length)
    },
  )
})

test("the matrix of roles reports a person who may do more than the roles say", async () => {
  const operation = keyedOperations(world).find(({ name }) => name === "POST /api/external/chatbots")
  const [owner] = team
  const viewer: PersonRole = { role: "viewer", chatbot_id: null }
  const pretended = owner === undefined ? [] : [{ ...owner, roles: [viewer] }]
  const { failures } = await checkRoles(world, pretended, operation ?? expect.unreachable())
  expect(failures.length).toBeGreaterThan(0)
})

test("the matrix reports a key of another organization that is let in", async () => {
  const attacker = { ...world.attacker, client: world.victim.client }
  const operation = keyedOperations(world).find(({ name }) => name === "GET /api/external/chatbot/{chatbotId}")
  const { failures } = await checkOperation({ ...world, attacker }, operation ?? expect.unreachable())
  const reported = (text: string) => failures.some((failure) => failure.includes(text))
  expect(["200 and not 404", "the answer holds", "answered otherwise"].map(reported)).toEqual([true, true, true])
})

test("all operations but those of everyone need a key, or a visitor", () => {
  const open = world.document.operations.filter(({ needsKey, needsVisitor }) => !needsKey && !needsVisitor)
  expect(new Set(open.map(({ name }) => name))).toEqual(new Set(openOperations))
})
