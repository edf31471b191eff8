import { Clock, Context, Duration, Effect, Fiber, FiberSet, Layer, Queue, Schema, Semaphore } from "effect"
import { BrowserFailed, connect, type DevTools } from "./DevTools.ts"

/** An answer to a request of a page that is rendered. */
export interface Loaded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Loads what a page asks for while it is rendered; undefined for what may not be loaded. */
export type Load = (url: URL) => Effect.Effect<Loaded | undefined>

export interface RendererSettings {
  /** Address of the debugging protocol of a Chromium; undefined: pages are not rendered. */
  readonly url: string | undefined
}

export interface RendererLimits {
  /** Time without a request after which a page counts as made. */
  readonly quiet: Duration.Duration
  /** Time after which a page is taken as it is. */
  readonly patience: Duration.Duration
  /** The most requests of one page. */
  readonly requests: number
  /** The most characters of a page. */
  readonly length: number
  /** Pages that are rendered at once by a process. */
  readonly concurrency: number
}

export const RendererLimits: Context.Reference<RendererLimits> = Context.Reference<RendererLimits>(
  "parley/sources/RendererLimits",
  {
    defaultValue: () => ({
      quiet: Duration.millis(500),
      patience: Duration.seconds(20),
      requests: 200,
      length: 10_000_000,
      concurrency: 2,
    }),
  },
)

/** What makes text; pictures, films and fonts do not. */
const loadedTypes: ReadonlySet<string> = new Set(["Document", "Script", "XHR", "Fetch", "Stylesheet"])
/** The discard service, where nothing answers: what Chromium would send by itself ends there. */
const NOWHERE = "http://127.0.0.1:9"
/** What a page could reach others by, other than by requests. */
const withoutSideDoors = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocket", "SharedWorker", "Worker"]) delete globalThis[name]`

const Paused = Schema.Struct({
  requestId: Schema.String,
  resourceType: Schema.String,
  request: Schema.Struct({ url: Schema.String, method: Schema.String }),
})
type Paused = typeof Paused.Type
const decodePaused = Schema.decodeUnknownOption(Paused)

const fieldOf = (name: string) => Schema.decodeUnknownEffect(Schema.Struct({ [name]: Schema.String }))
const textOf = Schema.decodeUnknownEffect(Schema.Struct({ result: Schema.Struct({ value: Schema.String }) }))
const unexpected = () => new BrowserFailed({ detail: "The browser of the server answers what is not expected." })

/**
 * Renders pages that only scripts make, in a Chromium that is reached by its debugging protocol. Each page has a
 * browsing context of its own, without a network: whatever it asks for is loaded by the caller.
 */
export class Renderer extends Context.Service<
  Renderer,
  {
    /** Whether there is a browser. */
    readonly isThere: boolean
    /** Renders a page, and returns its HTML. */
    readonly render: (url: URL, load: Load) => Effect.Effect<string, BrowserFailed>
  }
>()("parley/sources/Renderer") {
  static readonly layer = ({ url: browser }: RendererSettings) =>
    Layer.effect(
      Renderer,
      Effect.gen(function* () {
        const limits = yield* RendererLimits
        const turns = yield* Semaphore.make(limits.concurrency)

        const render = Effect.fn("Renderer.render")(
          function* (address: URL, page: URL, load: Load) {
            const events = yield* Queue.unbounded<Paused>()
            let isLoaded = false
            const devTools = yield* connect(address, (method, parameters) => {
              if (method === "Page.loadEventFired") isLoaded = true
              if (method !== "Fetch.requestPaused") return
              const paused = decodePaused(parameters)
              if (paused._tag === "Some") Queue.offerUnsafe(events, paused.value)
            })
            yield* openPage(devTools)
            const loading = yield* FiberSet.make<void, BrowserFailed>()
            let count = 0
            let lastAt = yield* Clock.currentTimeMillis
            const answer = Effect.fnUntraced(function* (paused: Paused) {
              const url = URL.parse(paused.request.url)
              const isWanted =
                ++count <= limits.requests &&
                loadedTypes.has(paused.resourceType) &&
                paused.request.method === "GET" &&
                url !== null &&
                /^https?:$/.test(url.protocol)
              const loaded = isWanted ? yield* load(url) : undefined
              yield* loaded === undefined
                ? devTools.send("Fetch.failRequest", { requestId: paused.requestId, errorReason: "BlockedByClient" })
                : devTools.send("Fetch.fulfillRequest", fulfilment(paused.requestId, loaded))
              lastAt = yield* Clock.currentTimeMillis
            })
            const serving = yield* Queue.take(events).pipe(
              Effect.flatMap((paused) => FiberSet.run(loading, Effect.ignore(answer(paused)))),
              Effect.forever,
              Effect.forkScoped,
            )
            yield* devTools.send("Page.navigate", { url: page.href }).pipe(Effect.forkScoped)
            const quiet = Duration.toMillis(limits.quiet)
            const untilMade = Effect.gen(function* () {
              do yield* Effect.sleep(Duration.millis(quiet / 5))
              while (
                !isLoaded ||
                (yield* FiberSet.size(loading)) > 0 ||
                (yield* Clock.currentTimeMillis) - lastAt < quiet
              )
            })
            yield* Effect.timeoutOption(untilMade, limits.patience)
            const html = yield* contentOf(devTools, limits.length)
            yield* Fiber.interrupt(serving)
            return html
          },
          Effect.scoped,
          (rendering) =>
            Effect.timeoutOrElse(rendering, {
              duration: Duration.times(limits.patience, 2),
              orElse: () => Effect.fail(new BrowserFailed({ detail: "The browser of the server takes too long." })),
            }),
          turns.withPermit,
        )

        return {
          isThere: browser !== undefined,
          render: (page, load) =>
            browser === undefined
              ? Effect.fail(new BrowserFailed({ detail: "The server has no browser." }))
              : render(new URL(browser), page, load),
        }
      }),
    )
}

/** Opens an empty page in a browsing context of its own, which the browser disposes of with the connection. */
const openPage = Effect.fnUntraced(function* (devTools: DevTools) {
  const ask = (name: string, method: string, parameters: Schema.JsonObject) =>
    devTools.send(method, parameters).pipe(
      Effect.flatMap(fieldOf(name)),
      Effect.map((found) => found[name] ?? ""),
      Effect.catchTag("SchemaError", () => Effect.fail(unexpected())),
    )
  const browserContextId = yield* ask("browserContextId", "Target.createBrowserContext", {
    disposeOnDetach: true,
    proxyServer: NOWHERE,
    // Also for this machine's own addresses.
    proxyBypassList: "<-loopback>",
  })
  yield* devTools.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId })
  const targetId = yield* ask("targetId", "Target.createTarget", { url: "about:blank", browserContextId })
  devTools.attach(yield* ask("sessionId", "Target.attachToTarget", { targetId, flatten: true }))
  yield* devTools.send("Page.enable")
  yield* devTools.send("Page.addScriptToEvaluateOnNewDocument", { source: withoutSideDoors })
  yield* devTools.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] })
})

const fulfilment = (requestId: string, { body, headers, status }: Loaded): Schema.JsonObject => ({
  requestId,
  responseCode: status,
  responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
  body: Buffer.from(body).toString("base64"),
})

/** The HTML of the page, read in a world of its own, where the page's scripts have changed nothing. */
const contentOf = Effect.fnUntraced(
  function* (devTools: DevTools, length: number) {
    const tree = yield* devTools.send("Page.getFrameTree")
    const { frameTree } = yield* decodeTree(tree)
    const world = yield* Effect.flatMap(
      devTools.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id }),
      decodeWorld,
    )
    const found = yield* devTools.send("Runtime.evaluate", {
      contextId: world.executionContextId,
      returnByValue: true,
      expression: `document.documentElement.outerHTML.slice(0, ${length})`,
    })
    return (yield* textOf(found)).result.value
  },
  Effect.catchTag("SchemaError", () => Effect.fail(unexpected())),
)

const decodeTree = Schema.decodeUnknownEffect(
  Schema.Struct({ frameTree: Schema.Struct({ frame: Schema.Struct({ id: Schema.String }) }) }),
)
const decodeWorld = Schema.decodeUnknownEffect(Schema.Struct({ executionContextId: Schema.Int }))
