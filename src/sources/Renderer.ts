import { Clock, Context, Duration, Effect, Fiber, FiberSet, Layer, Queue, Schema, Semaphore } from "effect"
import type { PageResponse } from "../outbound/PageRequest.ts"
import { BrowserFailed, connect, type DevTools } from "./DevTools.ts"

/** An answer to a request of a page that is rendered. Of its headers, the page sees the type. */
export type Loaded = Pick<PageResponse, "body" | "headers" | "status">

/** Loads what a page asks for while it is rendered; undefined for what may not be loaded. */
export type Load = (url: URL) => Effect.Effect<Loaded | undefined>

export interface RendererSettings {
  /** Address of the debugging protocol of a Chromium; undefined: pages are not rendered. */
  readonly url: string | undefined
}

const defaultLimits = {
  /** Time without a request after which a page counts as made. */
  quiet: Duration.millis(500),
  /** Time after which a page is taken as it is. */
  patience: Duration.seconds(20),
  /** The most requests of one page. */
  requests: 200,
  /** The most characters of a page. */
  length: 10_000_000,
  /** Pages that are rendered at once by a process. */
  concurrency: 2,
}
export type RendererLimits = Readonly<typeof defaultLimits>
export const RendererLimits: Context.Reference<RendererLimits> = Context.Reference<RendererLimits>(
  "parley/sources/RendererLimits",
  { defaultValue: () => defaultLimits },
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

const unexpected = new BrowserFailed({ detail: "The browser of the server answers what is not expected." })

const ask = <A>({ send }: DevTools, method: string, parameters: Schema.JsonObject, result: Schema.Decoder<A>) =>
  send(method, parameters).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(result)),
    Effect.catchTag("SchemaError", () => Effect.fail(unexpected)),
  )

/**
 * Renders pages that only scripts make, in a Chromium that is reached by its debugging protocol. Each page has a
 * browsing context of its own, without a network: all that it asks for is loaded by the caller.
 */
export class Renderer extends Context.Service<
  Renderer,
  {
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
  const { browserContextId } = yield* ask(
    devTools,
    "Target.createBrowserContext",
    // The proxy is also for this machine's own addresses.
    { disposeOnDetach: true, proxyServer: NOWHERE, proxyBypassList: "<-loopback>" },
    Schema.Struct({ browserContextId: Schema.String }),
  )
  yield* devTools.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId })
  const { targetId } = yield* ask(
    devTools,
    "Target.createTarget",
    { url: "about:blank", browserContextId },
    Schema.Struct({ targetId: Schema.String }),
  )
  const { sessionId } = yield* ask(
    devTools,
    "Target.attachToTarget",
    { targetId, flatten: true },
    Schema.Struct({ sessionId: Schema.String }),
  )
  devTools.attach(sessionId)
  yield* devTools.send("Page.enable")
  yield* devTools.send("Page.addScriptToEvaluateOnNewDocument", { source: withoutSideDoors })
  yield* devTools.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] })
})

const fulfilment = (requestId: string, { body, headers, status }: Loaded): Schema.JsonObject => ({
  requestId,
  responseCode: status,
  responseHeaders: [{ name: "content-type", value: headers["content-type"] ?? "" }],
  body: Buffer.from(body).toString("base64"),
})

/** The HTML of the page, read in a world of its own, where the page's scripts have changed nothing. */
const contentOf = Effect.fnUntraced(function* (devTools: DevTools, length: number) {
  const { frameTree } = yield* ask(devTools, "Page.getFrameTree", {}, Tree)
  const world = yield* ask(devTools, "Page.createIsolatedWorld", { frameId: frameTree.frame.id }, World)
  const expression = `document.documentElement.outerHTML.slice(0, ${length})`
  const parameters = { contextId: world.executionContextId, returnByValue: true, expression }
  return (yield* ask(devTools, "Runtime.evaluate", parameters, Evaluated)).result.value
})

const Tree = Schema.Struct({ frameTree: Schema.Struct({ frame: Schema.Struct({ id: Schema.String }) }) })
const World = Schema.Struct({ executionContextId: Schema.Int })
const Evaluated = Schema.Struct({ result: Schema.Struct({ value: Schema.String }) })
