import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "bun:test"
import { dependencies, version } from "../../package.json" with { type: "json" }
import { Client } from "../lib/Client.ts"
import { TEST_TIMEOUT_MILLIS } from "../lib/verify/Checks.ts"
import { config, type Container, imageRoot, newVolume, run } from "./Container.ts"

/*
 * The image of the Dockerfile, and a container of it from its first start to its last.
 */

const handbook = Bun.file(join(import.meta.dir, "../../src/quickstart/handbook.pdf"))
const QUESTION = "How long does the server drain?"
const ANSWER = /thirty seconds/

const has = (path: string) => existsSync(join(imageRoot, path))

/** Polls until this holds. It fails with what the container has written when the container ends, or the test nearly does. */
const until = async (container: Container, holds: () => Promise<boolean>): Promise<void> => {
  const last = performance.now() + 0.9 * TEST_TIMEOUT_MILLIS
  let hasEnded = false
  void container.exited.then(() => (hasEnded = true))
  while (!(await holds().catch(() => false))) {
    if (hasEnded || performance.now() > last) throw new Error(container.output())
    await Bun.sleep(20)
  }
}

const freePort = (): string => {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  listener.stop()
  return String(listener.port)
}

describe("the image", () => {
  test("runs as a user who is not root and is known by a number, as Kubernetes wants it", () => {
    expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })

  test("has one volume, which belongs to that user and is empty", () => {
    expect(Object.keys(config.Volumes)).toEqual(["/data"])
    const { gid, mode, uid } = statSync(join(imageRoot, "data"))
    expect(`${uid}:${gid}`).toBe(config.User)
    expect((mode & 0o777).toString(8)).toBe("700")
    expect(readdirSync(join(imageRoot, "data"))).toEqual([])
  })

  test("has the packages of production alone, without what only editors read", () => {
    const packages = readdirSync(join(imageRoot, "app/node_modules"))
    expect(packages).toContain("effect")
    expect(packages.filter((name) => ["typescript", "oxlint", "react", "playwright-core"].includes(name))).toEqual([])
    const missing = Object.keys(dependencies).filter((name) => !has(`app/node_modules/${name}`))
    expect(missing).toEqual(["lucide"])
    const found = Array.from(new Bun.Glob("**/*.{map,d.ts}").scanSync(join(imageRoot, "app/node_modules")))
    expect(found).toEqual([])
  })

  test("has what reads scans, without the builds and data that nothing loads", () => {
    const names = ["tesseract.js-core/*.{js,wasm}", "@tesseract.js-data/*/*/*.gz"].flatMap((pattern) =>
      Array.from(new Bun.Glob(pattern).scanSync(join(imageRoot, "app/node_modules"))),
    )
    expect(names.toSorted()).toEqual([
      "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz",
      "@tesseract.js-data/osd/4.0.0_best_int/osd.traineddata.gz",
      "tesseract.js-core/index.js",
      "tesseract.js-core/tesseract-core-simd.js",
      "tesseract.js-core/tesseract-core-simd.wasm",
    ])
  })

  test("has no tools of a build, nothing that was downloaded for it, and no secret of it", () => {
    const unwanted = ["usr/bin/gcc", "usr/bin/make", "usr/bin/git", "root/.bun", "root/.npmrc", "root/.npm", "app/test"]
    expect(unwanted.filter(has)).toEqual([])
    expect(config.Env.filter((one) => !/^(?:PATH|HOST|PORT|DATA_DIR)=/.test(one))).toEqual([])
  })

  test("has nothing of the program that its user could change", () => {
    const [user] = config.User.split(":").map(Number)
    const owned = readdirSync(join(imageRoot, "app"), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path).uid === user || (statSync(path).mode & 0o002) !== 0)
    expect(owned).toEqual([])
  })
})

describe("a container with a read-only root", () => {
  const volume = newVolume()
  afterAll(() => volume[Symbol.dispose]())
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  let container: Container
  let client: Client
  let chatbot = ""

  test("answers from a document that was uploaded, with the key that its first start left in the volume", async () => {
    const start = performance.now()
    container = run(volume.path, { PORT: port })
    await until(container, async () => (await fetch(`${url}/readyz`)).ok)
    const ready = performance.now()
    client = new Client(url, readFileSync(join(volume.path, "first-api-key"), "utf8").trim())
    chatbot = (await client.newChatbot()).id
    await client.learn(chatbot, { "handbook.pdf": await handbook.bytes() })
    expect((await client.chat(chatbot, QUESTION)).output).toMatch(ANSWER)
    const seconds = (from: number) => ((performance.now() - from) / 1_000).toFixed(1)
    const times = `ready ${((ready - start) / 1_000).toFixed(1)} s after the start, the first answer after ${seconds(start)} s`
    await Bun.write(`${process.env["PARLEY_IMAGE_CONFIG"]}.times`, `${times}\n`)
  })

  test("is the version of package.json", async () => {
    const { system } = Object((await client.get("/api/admin/system")).body)
    expect(system.version).toBe(version)
  })

  test("shows no key in its log, which says where the key is", () => {
    expect(container.output()).toContain("/data/first-api-key")
    expect(container.output()).not.toContain(client.key ?? "")
  })

  test("is healthy by the image's own check", async () => {
    const [kind, ...command] = config.Healthcheck.Test
    expect(kind).toBe("CMD")
    expect(await run(volume.path, { PORT: port }, { command }).exited).toBe(0)
    expect(await run(volume.path, { PORT: freePort() }, { command }).exited).toBe(1)
  })

  test("serves the pages that were built with the image, and builds none", async () => {
    const { status, text } = await client.get("/widget.js")
    expect(status).toBe(200)
    expect(text.length).toBeGreaterThan(1_000)
    expect(existsSync(join(volume.path, "cache/web"))).toBe(false)
  })

  test("leaves no process behind that has ended", async () => {
    await client.learn(chatbot, { "again.pdf": await handbook.bytes() })
    await until(container, async () => container.others().every(({ isZombie }) => !isZombie))
  })

  test("has drained and ended well after the stop signal, which process 1 receives", async () => {
    expect(await container.stop()).toBe(0)
    expect(container.output()).toContain("SIGTERM")
  })

  test.each([
    ["masked", "confined by setpriv: no new privileges"],
    ["unmasked", "confined by unshare and setpriv: no network, no other processes, no files but the program's"],
  ] as const)("where system paths are %s, runs doctor, which says that readers are %s", async (paths, readers) => {
    const doctor = run(volume.path, {}, { args: ["doctor"], paths })
    const code = await doctor.exited
    expect({ code, output: doctor.output() }).toEqual({ code: 0, output: expect.stringContaining(readers) })
  })

  test("finds in the volume what the one before it has left", async () => {
    container = run(volume.path, { PORT: port })
    await until(container, async () => (await fetch(`${url}/readyz`)).ok)
    expect((await client.chat(chatbot, QUESTION)).output).toMatch(ANSWER)
    expect(await container.stop()).toBe(0)
  })

  test("says in a sentence that the volume belongs to somebody else", async () => {
    using foreign = newVolume()
    Bun.spawnSync(["chown", "root:root", foreign.path])
    const refused = run(foreign.path, { PORT: port })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toMatch(/^parley: .*\/data/m)
  })
})
