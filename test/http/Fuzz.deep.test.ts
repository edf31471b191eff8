import { describe, expect, test } from "bun:test"
import { readApiDocument } from "../lib/safety/ApiDocument.ts"
import { faultOf } from "../lib/safety/fuzz/Answers.ts"
import type { FuzzRequest } from "../lib/safety/fuzz/Requests.ts"
import { fuzz } from "../lib/safety/fuzz/Run.ts"
import type { WireOutcome } from "../lib/safety/fuzz/Wire.ts"
import { searchSeed, searchTimes, sizeOf } from "../lib/Sample.ts"
import { startServer, testTimeout } from "../lib/TestServer.ts"

const { client } = await startServer()

/** Random requests: a search for rare faults, which is full in CI. */
const REQUESTS = searchTimes * sizeOf(400, 120)
/** Milliseconds after which a request counts as hanging, on the busiest machine. */
const TIMEOUT = 30_000

test(
  "every answer to valid, nearly valid and hostile requests is one that the OpenAPI document declares",
  async () => {
    const { faults, outcomes } = await fuzz(client, {
      seed: searchSeed,
      requests: REQUESTS,
      connections: 4,
      timeout: TIMEOUT,
    })
    expect([searchSeed, ...faults.map(({ request, what }) => `${request.label}: ${what}`)]).toEqual([searchSeed])
    // Requests of all kinds have been made.
    for (const status of ["200", "400", "401", "404"]) expect(outcomes.get(status)).toBeGreaterThan(0)
  },
  2 * searchTimes * testTimeout,
)

describe("an answer is a fault", () => {
  const document = readApiDocument({
    paths: {
      "/v1/models": {
        get: {
          parameters: [],
          responses: { "200": { content: { "application/json": { schema: { type: "object", required: ["data"] } } } } },
        },
      },
    },
  })
  const [operation] = document.operations
  const request: FuzzRequest = {
    label: "",
    target: "/v1/models",
    operation,
    isMalformed: false,
    method: "GET",
    bytes: new Uint8Array(),
    isCutOff: false,
  }
  const answer = (status: number, body: string, mediaType = "application/json"): WireOutcome => ({
    status,
    headers: new Map([
      ["content-type", mediaType],
      ["x-request-id", "1"],
    ]),
    body: Buffer.from(body),
  })

  test.each([
    ["with status 500", answer(500, "{}"), "500"],
    ["with a status that is not declared", answer(202, "{}"), "status is not declared"],
    ["with another media type", answer(200, '{"data":1}', "text/html"), "media type is not declared"],
    ["that does not fit its schema", answer(200, "{}"), "not as its schema says"],
    ["that is not JSON", answer(200, "{"), "not JSON"],
    ["that refuses with more than 64 kB", answer(400, "x".repeat(65_537)), "65537 bytes"],
    ["without a request id", { status: 200, headers: new Map(), body: Buffer.from("{}") }, "no request id"],
    ["when there is none in time", "hangs", "in time"],
    ["when the connection is closed instead", "closed", "closed"],
  ] as const)("%s", (_, outcome, what) => {
    expect(faultOf(document, request, outcome)).toContain(what)
  })

  test("and is none when it is declared", () => {
    expect(faultOf(document, request, answer(200, '{"data":1}'))).toBeUndefined()
  })
})
