import { expect, test } from "bun:test"
import { Context, Duration } from "effect"
import { CrawlPace } from "../../src/sources/PoliteFetch.ts"
import { wrongPaths } from "../lib/Client.ts"
import { readApiDocument } from "../lib/safety/ApiDocument.ts"
import { makeMember } from "../lib/safety/Belongings.ts"
import { fieldsOf, placesOf } from "../lib/safety/Places.ts"
import { validRequest } from "../lib/safety/ValidRequests.ts"
import { startServer } from "../lib/TestServer.ts"

const pace = { ...CrawlPace.defaultValue(), pauseMin: Duration.zero, retryPause: Duration.zero }
const server = await startServer({}, Context.make(CrawlPace, pace))
const document = readApiDocument((await server.client.get("/openapi.json")).body)
const { client, own } = await makeMember(server.client)

/** Names of fields that hold the address of a page or a picture. */
const ofAddress = /(?:^|[._])(?:\w*url|\w*Url|avatar|logo|image|icon|link|picture|issuer)$/

const fields = document.operations.flatMap((operation) =>
  operation.needsKey && operation.body?.mediaType === "application/json"
    ? fieldsOf(document, operation.body.schema)
        .filter(({ name }) => ofAddress.test(name))
        .map(({ name }) => [operation.name, name, operation] as const)
    : [],
)

test.each(fields)("%s takes no address for %s that runs a program", async (_, field, operation) => {
  const values = placesOf(document, operation).flatMap(({ kinds, name }) =>
    kinds === "chosen" || kinds[0] === undefined ? [] : [[name, own[kinds[0]]]],
  )
  for (const address of [
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "JavaScript://a/%0aalert(1)",
  ]) {
    const request = validRequest(document, operation, { ...Object.fromEntries(values), [field]: address })
    expect(wrongPaths(await client.send(request.method, request.path, request.sent))).toContain(field)
  }
})

test("addresses of pictures, webhooks and tools are among them", () => {
  const names = fields.map(([name, field]) => `${name} ${field}`)
  expect(names).toContain("PATCH /api/admin/people/{personId} avatar")
  expect(names).toContain("PATCH /api/external/chatbot/{chatbotId}/chat-widget logo")
  expect(names).toContain("POST /api/external/webhooks url")
})
