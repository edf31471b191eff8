import { expect, test } from "bun:test"
import { Effect } from "effect"
import { cannotListen } from "../../../src/http/server/CannotListen.ts"
import { urlOf } from "../../../src/system/Url.ts"

const told = async (host: string, port: number, code: string) => {
  const cause = Object.assign(new Error(`${code}: Bun's words`), { code })
  return (await Effect.runPromise(cannotListen({ host, port }, cause))).message
}

test("why a server cannot listen is told in words, with the setting", async () => {
  expect(await told("127.0.0.1", 3000, "EADDRINUSE")).toBe(
    "Port 3000 on 127.0.0.1 is in use. Stop what uses it, or set PORT.",
  )
  expect(await told("0.0.0.0", 80, "EACCES")).toStartWith("This user may not listen on port 80 of 0.0.0.0. Set PORT to")
  expect(await told("[::1]", 3000, "EADDRNOTAVAIL")).toStartWith('HOST is "[::1]", which is not an address of this')
  expect(await told("127.0.0.1", 3000, "EMFILE")).toContain("this process has too many files open")
})

test("Bun's reason for a host that is no address is none, and not told", async () => {
  for (const code of ["ENOTTY", "EADDRINUSE", "ENOTCONN"]) {
    const message = await told("256.1.1.1", 3000, code)
    expect(message).toStartWith('HOST is "256.1.1.1", which is no address')
    expect(message).not.toContain(code)
  }
})

test("an address of version 6 stands in brackets, once", () => {
  expect(["127.0.0.1", "::1", "[::1]"].map((host) => urlOf(host, 3000))).toEqual([
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "http://[::1]:3000",
  ])
})
