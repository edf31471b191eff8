import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { isLocalHost, mayCall, noPrivateNetworks, parsePrivateNetworks } from "../../src/outbound/PrivateNetworks.ts"

const privateV4 = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
]
const privateV6 = [
  "::",
  "::1",
  "::7f00:1",
  "64:ff9b:1::a00:1",
  "100::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
]
const publicOnes = ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1111"]

const hex = (address: string) =>
  address
    .split(".")
    .map((byte) => Number(byte).toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(....)/, "$1:")

describe("without a setting for private networks", () => {
  test.each([...privateV4, ...privateV6])("%s may not be called", (address) => {
    expect(mayCall("host", address, noPrivateNetworks)).toBe(false)
  })

  test.each(privateV4)("%s may not be called as an IPv6 address", (address) => {
    for (const form of [
      `::ffff:${address}`,
      `::ffff:${hex(address)}`,
      `64:ff9b::${hex(address)}`,
      `2002:${hex(address)}::`,
    ]) {
      expect([form, mayCall("host", form, noPrivateNetworks)]).toEqual([form, false])
    }
  })

  test.each(publicOnes)("%s may be called", (address) => {
    expect(mayCall("host", address, noPrivateNetworks)).toBe(true)
  })

  test("public addresses may also be called through NAT64", () => {
    expect(mayCall("host", `64:ff9b::${hex("8.8.8.8")}`, noPrivateNetworks)).toBe(true)
  })

  test("a text that is no address may not be called", () => {
    const notOne = fc.string().filter((text) => !/[:.\d]/.test(text))
    fc.assert(fc.property(notOne, (text) => !mayCall("host", text, noPrivateNetworks)))
  })
})

describe("a setting for private networks", () => {
  const allowed = parsePrivateNetworks("10.1.0.0/16, fd00::/8,127.0.0.1 , Crm.Internal") ?? noPrivateNetworks

  test.each([
    ["10.1.2.3", true],
    ["10.2.0.1", false],
    ["::ffff:10.1.2.3", true],
    ["fd12::1", true],
    ["fc12::1", false],
    ["127.0.0.1", true],
    ["127.0.0.2", false],
  ])("of ranges says whether %s may be called: %p", (address, may) => {
    expect(mayCall("other", address, allowed)).toBe(may)
  })

  test("that names a host allows all its addresses, but not for other hosts", () => {
    expect(mayCall("crm.internal", "192.168.7.7", allowed)).toBe(true)
    expect(mayCall("evil.crm.internal", "192.168.7.7", allowed)).toBe(false)
  })

  test.each(["", "10.0.0.0/33", "10.0.0", "1.2.3.4.5", "a b", "http://crm", "10.0.0.1,,", "-a", "2130706433"])(
    "cannot be %p",
    (text) => {
      expect(parsePrivateNetworks(text)).toBeUndefined()
    },
  )
})

test("a host is local by its address, and by a name that only its own network resolves", () => {
  const hosts = (urls: ReadonlyArray<string>) =>
    urls.map((host) => isLocalHost(new URL(`http://${host}:11434/v1`).hostname))
  const names = ["localhost", "LLM.localhost", "ollama", "host.docker.internal", "llm.ai.svc.cluster.local"]
  const local = [...names, "127.0.0.1", "10.1.2.3", "192.168.1.1", "[::1]", "[fd00::1]", "[::ffff:10.0.0.1]"]
  const others = ["api.openai.com", "localhost.example.com", "local.ai", "8.8.8.8", "[2606:4700::1111]"]
  expect([hosts(local), hosts(others)]).toEqual([local.map(() => true), others.map(() => false)])
})
