import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect } from "effect"
import { ExtractProcess } from "../../../src/readers/process/ExtractProcess.ts"
import { firstThatWorks, isWorking, refuseWeak } from "../../../src/readers/process/ReaderSandbox.ts"
import { describe as inWords, noSandbox, type Sandbox, sandboxesOn } from "../../../src/readers/process/Sandbox.ts"

setDefaultTimeout(180_000)

const all = ["bwrap", "setpriv", "unshare", "prlimit"]
const system = (programs: ReadonlyArray<string>, isRoot = false, platform = "linux") =>
  sandboxesOn({ platform, isRoot, which: (program) => (programs.includes(program) ? `/usr/bin/${program}` : null) })
const namesOf = (sandboxes: ReadonlyArray<Sandbox>) =>
  sandboxes.map(({ changesUser, name }) => (changesUser ? `${name} as nobody` : name))

describe("the sandboxes to try", () => {
  test("are ordered from the strictest to the weakest", () => {
    expect(namesOf(system(all))).toEqual(["bwrap", "unshare and setpriv", "setpriv"])
  })

  test("try another user first where the server runs as root", () => {
    expect(namesOf(system(all, true))).toEqual([
      "bwrap",
      "unshare and setpriv as nobody",
      "unshare and setpriv",
      "setpriv as nobody",
      "setpriv",
    ])
  })

  test.each([
    ["bubblewrap is missing", ["setpriv", "unshare"], ["unshare and setpriv", "setpriv"]],
    ["only setpriv is there", ["setpriv"], ["setpriv"]],
    ["only unshare is there, which drops no privileges", ["unshare"], []],
    ["nothing is there", [], []],
  ])("are those of the installed programs where %s", (_, programs, names) => {
    expect(namesOf(system(programs))).toEqual(names)
  })

  test("limit the capabilities of new programs only as root, since setpriv fails for other users who try", () => {
    const wrapped = (isRoot: boolean) => system(["setpriv"], isRoot).flatMap(({ wrap }) => wrap(["bun"]))
    expect(wrapped(true)).toContain("--bounding-set=-all")
    expect(wrapped(false)).not.toContain("--bounding-set=-all")
    expect(wrapped(false)).toContain("--no-new-privs")
  })

  test("are none on another system than Linux", () => {
    expect(system(all, false, "darwin")).toEqual([])
  })
})

describe("the chosen sandbox", () => {
  const choose = (works: (sandbox: Sandbox) => boolean) =>
    Effect.runSync(firstThatWorks(system(all, true), (sandbox) => Effect.succeed(works(sandbox))))

  test("is the strictest that works", () => {
    expect(choose(() => true).name).toBe("bwrap")
    expect(namesOf([choose(({ name }) => name !== "bwrap")])).toEqual(["unshare and setpriv as nobody"])
    expect(namesOf([choose(({ changesUser, name }) => name === "setpriv" && !changesUser)])).toEqual(["setpriv"])
  })

  test("is none where nothing works, so that documents are still read", () => {
    expect(choose(() => false)).toBe(noSandbox)
  })

  test("is refused at the start where one is required and the network or other processes stay visible", () => {
    const refused = (sandbox: Sandbox) =>
      Effect.runSync(
        Effect.match(refuseWeak(sandbox), { onSuccess: () => "fine", onFailure: ({ message }) => message }),
      )
    const [bwrap, unshare, setpriv] = system(all)
    expect([bwrap, unshare].map((sandbox) => refused(sandbox ?? noSandbox))).toEqual(["fine", "fine"])
    expect(refused(setpriv ?? noSandbox)).toContain("confined by setpriv: no new privileges. Install bubblewrap")
    expect(refused(noSandbox)).toContain("confined by nothing")
  })

  test("does not work where its programs fail, are missing, or read nothing", async () => {
    const failing: Sandbox = { ...noSandbox, wrap: () => ["/bin/false"] }
    const silent: Sandbox = { ...noSandbox, wrap: () => ["/bin/cat"] }
    const missing: Sandbox = { ...noSandbox, wrap: () => ["/nowhere/bwrap"] }
    const outcomes = await Effect.runPromise(Effect.forEach([failing, silent, missing], isWorking))
    expect(outcomes).toEqual([false, false, false])
    expect(await Effect.runPromise(isWorking(noSandbox))).toBe(true)
  })

  test("is described by what it takes", () => {
    expect(system(all, true).slice(0, 2).map(inWords)).toEqual([
      "confined by bwrap: no network, no other processes, no files but the program's, no new privileges",
      "confined by unshare and setpriv: no network, no other processes, no files but the program's, a user of their own, no new privileges",
    ])
  })
})

const directory = mkdtempSync(join(tmpdir(), "parley-sandbox-"))
chmodSync(directory, 0o777)
const file = join(directory, "file")
writeFileSync(file, "kept")
chmodSync(file, 0o666)
const server = createServer((socket) => socket.destroy())
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const address = server.address()
const port = typeof address === "object" ? (address?.port ?? 0) : 0
afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

/** What code that has taken over a reader of documents would try. */
const hostile = `
  const { connect } = require("node:net")
  const { readFileSync, readdirSync, writeFileSync } = require("node:fs")
  const reaches = await new Promise((resolve) => {
    connect(${port}, "127.0.0.1").on("connect", () => resolve(true)).on("error", () => resolve(false))
  })
  const reads = (path) => { try { return readFileSync(path, "utf8").length > 0 } catch { return false } }
  const status = readFileSync("/proc/self/status", "utf8")
  const found = {
    reaches,
    environment: Object.keys(process.env).filter((name) => name.includes("SECRET")),
    server: reads("/proc/${process.pid}/environ") && reads("/proc/${process.pid}/cmdline"),
    processes: readdirSync("/proc").filter((name) => Number(name) > 0).length,
    file: reads(${JSON.stringify(file)}),
    isRoot: process.getuid() === 0,
    capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1],
    mayGain: /NoNewPrivs:\\s*(\\d)/.exec(status)[1] === "0",
  }
  process.stdout.write(JSON.stringify(found))
  writeFileSync(${JSON.stringify(file)}, "changed")
`

const onThisMachine = sandboxesOn({
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  which: Bun.which,
})
const working = await Effect.runPromise(Effect.filter(onThisMachine, isWorking))

if (working.length > 0) {
  describe.each(working)("a reader that was taken over, confined by $name ($changesUser)", (sandbox) => {
    test("reaches and changes nothing that the sandbox takes", async () => {
      process.env["PARLEY_TEST_SECRET"] = "a secret"
      const command = sandbox.wrap([process.execPath, "-e", hostile])
      const child = Bun.spawn([...command], { env: {}, stdin: "ignore", stdout: "pipe", stderr: "ignore" })
      const found: unknown = JSON.parse(await new Response(child.stdout).text())
      await child.exited
      delete process.env["PARLEY_TEST_SECRET"]
      expect(found).toMatchObject({
        environment: [],
        capabilities: "0000000000000000",
        mayGain: false,
        ...(sandbox.isStrict && { reaches: false, server: false, file: false }),
        ...(sandbox.changesUser && { isRoot: false, server: false }),
      })
      if (sandbox.isStrict) expect(readFileSync(file, "utf8")).toBe("kept")
    })

    test("is watched and killed with the programs that wrap it", async () => {
      const source = { format: "html", name: "a.html", content: new Blob(["<p>Hi"]) } as const
      const limits = { memory: 1, time: Duration.seconds(30) }
      const reading = Effect.gen(function* () {
        const reader = yield* ExtractProcess.start(1_000, sandbox)
        // More memory than allowed is used from the start, but by the process behind the wrapping programs.
        yield* reader.read(source, { ...limits, memory: Number.POSITIVE_INFINITY })
        const { pids } = reader
        expect(yield* Effect.flip(reader.read(source, { ...limits, memory: 20_000_000 }))).toMatchObject({
          _tag: "OutOfMemory",
        })
        return pids
      })
      const pids = await Effect.runPromise(Effect.scoped(reading))
      expect(pids.length).toBeGreaterThan(0)
      await Effect.runPromise(
        Effect.repeat(Effect.sleep("10 millis").pipe(Effect.as(pids)), {
          until: (all) => all.every((pid) => !isRunning(pid)),
        }),
      )
    })
  })
}

const isRunning = (pid: number) => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
