import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { clientAddresses } from "../../../src/http/access/ClientAddresses.ts"
import { parseProxies } from "../../../src/system/AddressRanges.ts"
import { quiet } from "../../lib/Layers.ts"

/** The address that a server with these trusted proxies takes for the client's. */
const addressFor = (trusted: string, peer: string, headers: Readonly<Record<string, string>>) => {
  const found = clientAddresses(parseProxies(trusted) ?? [], () => peer)
  const request = HttpServerRequest.fromWeb(new Request("http://parley.example/", { headers }))
  return Effect.runSync(Effect.provide(found, quiet))(request)
}

describe("the address of a client", () => {
  const client = "203.0.113.7"
  const cases: ReadonlyArray<
    readonly [title: string, trusted: string, peer: string, headers: Readonly<Record<string, string>>, expected: string]
  > = [
    ["is that of the connection", "loopback", client, {}, client],
    ["is IPv4 where IPv6 carries it", "loopback", `::ffff:${client}`, {}, client],
    [
      "is that of the connection when no proxy is trusted",
      "10.0.0.1",
      "127.0.0.1",
      { "x-forwarded-for": client },
      "127.0.0.1",
    ],
    [
      "is never what an untrusted client says",
      "loopback",
      client,
      { "x-forwarded-for": "127.0.0.1", forwarded: "for=127.0.0.1" },
      client,
    ],
    ["is what a trusted proxy reports", "loopback", "127.0.0.1", { "x-forwarded-for": client }, client],
    [
      "is what a trusted proxy reports over IPv6",
      "loopback",
      "::1",
      { "x-forwarded-for": "2001:db8::7" },
      "2001:db8::7",
    ],
    [
      "is what a trusted proxy that IPv6 carries reports",
      "10.0.0.0/8",
      "::ffff:10.1.2.3",
      { "x-forwarded-for": client },
      client,
    ],
    [
      "is the last address that is not a proxy",
      "private",
      "10.0.0.1",
      { "x-forwarded-for": `1.1.1.1, ${client}, 192.168.3.4` },
      client,
    ],
    [
      "is not what the client itself wrote before",
      "loopback",
      "127.0.0.1",
      { "x-forwarded-for": `127.0.0.1, 6.6.6.6, ${client}` },
      client,
    ],
    [
      "is the first proxy when there is nothing else",
      "private",
      "10.0.0.1",
      { "x-forwarded-for": "10.0.0.9, 10.0.0.2" },
      "10.0.0.9",
    ],
    [
      "ends at what is no address",
      "private",
      "10.0.0.1",
      { "x-forwarded-for": `${client}, unknown, 10.0.0.2` },
      "10.0.0.2",
    ],
    ["is the proxy's when it reports none", "loopback", "127.0.0.1", { "x-forwarded-for": "" }, "127.0.0.1"],
    ["may have a port", "loopback", "127.0.0.1", { "x-forwarded-for": `${client}:5123` }, client],
    [
      "may be written in brackets, with a port",
      "loopback",
      "127.0.0.1",
      { "x-forwarded-for": "[2001:db8::7]:443" },
      "2001:db8::7",
    ],
    ["has one spelling", "loopback", "127.0.0.1", { "x-forwarded-for": "2001:DB8:0:0:0:0:0:7" }, "2001:db8::7"],
    [
      "is the proxy's when Forwarded is there too, of which nobody knows who wrote it",
      "loopback",
      "127.0.0.1",
      { "x-forwarded-for": client, forwarded: `for=${client}` },
      "127.0.0.1",
    ],
    [
      "is never more than 32 proxies away",
      "loopback, 203.0.113.7",
      "127.0.0.1",
      { "x-forwarded-for": `6.6.6.6${`, ${client}`.repeat(32)}` },
      client,
    ],
    ["is never an ambiguous spelling", "loopback", "127.0.0.1", { "x-forwarded-for": "0x7f.1" }, "127.0.0.1"],
  ]
  test.each(cases)("%s", (_, trusted, peer, headers, expected) => {
    expect(addressFor(trusted, peer, headers)).toBe(expected)
  })
})
