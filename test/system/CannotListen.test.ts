import { expect, test } from "bun:test"
import { Effect } from "effect"
import { cannotListen } from "../../src/system/CannotListen.ts"
import { urlOf } from "../../src/system/Url.ts"

const messageFor = async (host: string, port: number, code: string) => {
  const cause = Object.assign(new Error(`${code}: Bun's words`), { code })
  return (await Effect.runPromise(cannotListen({ host, port }, cause))).message
}

test("the message says why a server cannot listen and which setting to change", async () => {
  expect(await messageFor("127.0.0.1", 3000, "EADDRINUSE")).toBe(
    "Port 3000 on 127.0.0.1 is in use. Stop what uses it, or set PORT.",
  )
  expect(await messageFor("0.0.0.0", 80, "EACCES")).toStartWith(
    "This user may not listen on port 80 of 0.0.0.0. Set PORT to",
  )
  expect(await messageFor("[::1]", 3000, "EADDRNOTAVAIL")).toStartWith(
    'HOST is "[::1]", which is not an address of this',
  )
  expect(await messageFor("127.0.0.1", 3000, "EMFILE")).toContain("this process has too many files open")
})

test("the message for an unknown host leaves out Bun's unrelated error", async () => {
  for (const code of ["ENOTTY", "EADDRINUSE", "ENOTCONN"]) {
    const message = await messageFor("256.1.1.1", 3000, code)
    expect(message).toStartWith('HOST is "256.1.1.1", which is no address')
    expect(message).not.toContain(code)
  }
})

test("an IPv6 address is put in brackets once", () => {
  expect(["127.0.0.1", "::1", "[::1]"].map((host) => urlOf(host, 3000))).toEqual([
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "http://[::1]:3000",
  ])
})
