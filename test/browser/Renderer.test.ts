import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, ManagedRuntime } from "effect"
import { type Loaded, Renderer, RendererLimits } from "../../src/sources/Renderer.ts"
import { crawlNeeds, documentsOf, makeSource, runSource, startCrawling } from "../lib/Crawling.ts"
import { BlobControl } from "../lib/Layers.ts"
import { page, sends, trapSite } from "../lib/TrapSite.ts"
import { findBrowser } from "./lib/Chromium.ts"

/*
 * Pages that only scripts make, in a real Chromium that is reached by its debugging protocol.
 */

let chromium: Bun.Subprocess<"ignore", "ignore", "pipe">
let address: URL
let secret: Bun.Server<undefined>
let stolen = 0
const profile = mkdtempSync(join(tmpdir(), "parley-renderer-"))

beforeAll(async () => {
  secret = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => (stolen++, new Response("secret")) })
  const found = findBrowser(process.env)
  if ("why" in found) throw new Error(found.why)
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
  chromium = Bun.spawn([found.path, ...args, `--user-data-dir=${profile}`], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  })
  let said = ""
  for await (const part of chromium.stderr.pipeThrough(new TextDecoderStream())) {
    said += part
    const url = /DevTools listening on (ws:\S+)/.exec(said)?.[1]
    if (url === undefined) continue
    address = new URL(`http://${new URL(url).host}`)
    break
  }
})
afterAll(async () => {
  chromium.kill()
  await chromium.exited
  rmSync(profile, { recursive: true, force: true })
  await secret.stop(true)
})

const html = (body: string): Loaded => ({
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: new TextEncoder().encode(body),
})

/** Limits with which what a page does after its last request is awaited on a busy machine too. */
const unhurried = { quiet: Duration.seconds(3), patience: Duration.seconds(60) }

/** Renders a page of a site whose answers are given by path, and returns its HTML, or why it has none, with what was asked for. */
const render = async (site: Readonly<Record<string, Loaded>>, limits: Partial<RendererLimits> = {}, at = address) => {
  const asked: Array<string> = []
  const load = (url: URL) =>
    Effect.sync(() => {
      asked.push(url.href)
      return url.host === "site.test" ? site[url.pathname] : undefined
    })
  const page = await Effect.runPromise(
    Effect.flatMap(Renderer, (renderer) => renderer.render(new URL("http://site.test/"), load)).pipe(
      Effect.catch(({ detail }) => Effect.succeed(detail)),
      Effect.provide(Renderer.layer({ url: at.href })),
      Effect.updateService(RendererLimits, (before) => ({ ...before, ...limits })),
    ),
  )
  return { page, asked }
}

test("A page that a script makes of data which it fetches is returned as it looks then", async () => {
  const { asked, page } = await render(
    {
      "/": html(`<div id=app></div><img src="/picture.png"><script src="/app.js"></script>`),
      "/app.js": {
        status: 200,
        headers: { "content-type": "text/javascript" },
        body: new TextEncoder().encode(
          `fetch("/data.json").then((answer) => answer.json()).then(({ hours }) => setTimeout(() => (document.querySelector("#app").innerHTML = "<h1>Öffnungszeiten</h1><p>" + hours), 100))`,
        ),
      },
      "/data.json": {
        status: 200,
        headers: { "content-type": "application/json" },
        body: new TextEncoder().encode(`{"hours":"9 to 5"}`),
      },
    },
    unhurried,
  )
  expect(page).toContain("<h1>Öffnungszeiten</h1><p>9 to 5</p>")
  expect(asked).toEqual(["http://site.test/", "http://site.test/app.js", "http://site.test/data.json"])
})

test("A page reaches nothing but what the server loads for it", async () => {
  const target = `http://127.0.0.1:${secret.port}/`
  const { asked, page } = await render(
    {
      "/": html(`<p id=said>start</p><iframe src="${target}frame"></iframe><link rel=preload as=fetch href="${target}preload">
      <link rel=prefetch href="${target}prefetch"><script>
      const say = (text) => (document.querySelector("#said").textContent += " " + text)
      fetch("${target}fetch", { mode: "no-cors" }).then(() => say("reached"), () => say("refused"))
      fetch("/form", { method: "POST", body: "x" }).then(() => say("posted"), () => say("unposted"))
      navigator.sendBeacon("${target}beacon", "x")
      say(typeof WebSocket); say(typeof RTCPeerConnection)
      window.open("${target}window")
      new Image().src = "${target}image"
      const frame = document.createElement("iframe"); document.body.append(frame)
      try { new frame.contentWindow.WebSocket("${target.replace("http", "ws")}socket") } catch { say("no socket") }
    </script>`),
    },
    unhurried,
  )
  expect(page).toContain("undefined undefined")
  expect(page).toContain("refused")
  expect(page).toContain("unposted")
  expect(asked.filter((url) => url.includes("127.0.0.1")).length).toBeGreaterThan(0)
  expect(stolen).toBe(0)
})

test("A page that never comes to rest is taken as it is", async () => {
  const { page } = await render(
    { "/": html(`<p>Text</p><script>setInterval(() => fetch("/again"), 20)</script>`), "/again": html("") },
    { patience: Duration.seconds(6) },
  )
  expect(page).toContain("<p>Text</p>")
})

test("A page whose script runs for ever fails in time, and the next one is rendered", async () => {
  const hurried = { patience: Duration.seconds(1) }
  const hanging = await render({ "/": html(`<p>Text</p><script>for (;;);</script>`) }, hurried)
  expect(hanging.page).toBe("The browser of the server takes too long.")
  expect((await render({ "/": html("<p>Next</p>") })).page).toContain("<p>Next</p>")
})

test("A run of a source reads a page that only scripts make, and the pages that it links to then", () => {
  const runtime = ManagedRuntime.make(crawlNeeds)
  return runtime
    .runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const site = yield* trapSite
          const script = `document.querySelector("#app").innerHTML =
            '<main><h1>Harbour</h1><p>The harbour of Morlaix opens its gates two hours before high water.</p>' +
            '<a href="/app/prices">Prices</a></main>'; fetch("http://inside.example/secret")`
          site.pages.set("docs.example/app/", sends('<div id="app"></div><script src="/app/made.js"></script>'))
          site.pages.set("docs.example/app/made.js", sends(script, { "content-type": "text/javascript" }))
          site.pages.set("docs.example/app/prices", page("Prices"))
          yield* startCrawling({ browser: address.href })
          const source = yield* makeSource("website", [site.at("docs.example", "/app/")])
          expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 2 } })
          const documents = yield* documentsOf(source)
          expect([...documents.keys()]).toEqual(["/app/", "/app/prices"])
          const { blobs } = yield* BlobControl
          const text = Buffer.from(blobs.get(documents.get("/app/")?.blob_key ?? "") ?? []).toString()
          expect(text).toContain("# Harbour\n\nThe harbour of Morlaix opens its gates")
          expect(site.requests.map(({ host, path }) => host + path).filter((url) => url.includes("secret"))).toEqual([])
        }),
      ),
    )
    .finally(() => runtime.dispose())
})

test("Without a browser that answers, the failure says so", async () => {
  const { page } = await render({}, {}, new URL("http://127.0.0.1:9"))
  expect(page).toBe("The browser of the server cannot be reached.")
})
