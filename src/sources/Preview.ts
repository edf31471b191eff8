import { Duration, Effect } from "effect"
import { type CrawledKind, PAGES_MAX, type SourceConfig, type SourcePreview } from "../domain/knowledge/Source.ts"
import { Service } from "../domain/Service.ts"
import { inTurns } from "../system/InTurns.ts"
import { addressOf, hostOf } from "./Address.ts"
import { readLists } from "./Lists.ts"
import { PoliteFetch, type Requests } from "./PoliteFetch.ts"
import { unreachableRobots } from "./Robots.ts"
import { makeScope, type Scope } from "./Scope.ts"

/** Hosts, sitemaps and addresses that a preview looks at or shows. */
const HOSTS_MAX = 20
const ROBOTS_MAX = 5
const SITEMAPS_MAX = 10
const EXAMPLES_MAX = 10

/** Time that somebody waits for the lists of a source. */
const PATIENCE = Duration.seconds(20)
const tooSlow = `The lists could not be read within ${Duration.toSeconds(PATIENCE)} seconds.`

/** Finds out what a source would read, by its robots.txt and lists, without reading a page. */
export class SourcePreviews extends Service<SourcePreviews>()("parley/sources/SourcePreviews", function* () {
  const { begin } = yield* PoliteFetch

  /** Reads what lists name within the scope, or finds out why they cannot be read. */
  const read = (
    kind: Exclude<CrawledKind, "website">,
    urls: ReadonlyArray<string>,
    requests: Requests,
    { refusal }: Scope,
  ) =>
    readLists(kind, urls, requests, PAGES_MAX).pipe(
      // Fifty thousand pages times a hundred globs take a while.
      Effect.flatMap(({ pages }) => inTurns(pages, (page) => (refusal(page) === undefined ? [page] : []))),
      Effect.map((pages) => ({ pages: pages.flat(), problem: undefined })),
      Effect.catchTag("ListsUnreadable", ({ error }) => Effect.succeed({ pages: undefined, problem: error.message })),
      Effect.timeoutOrElse({
        duration: PATIENCE,
        orElse: () => Effect.succeed({ pages: undefined, problem: tooSlow }),
      }),
    )

  /** The sitemaps of each host, and why its robots.txt lets nothing be read. */
  const robotsOf = (addresses: ReadonlyArray<string>, requests: Requests) =>
    Effect.forEach(
      [...Map.groupBy(addresses, hostOf)].slice(0, ROBOTS_MAX),
      Effect.fnUntraced(function* ([host, some]) {
        const found = yield* requests
          .robotsOf(some[0] ?? "")
          .pipe(Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed(unreachableRobots(tooSlow)) }))
        const { allows, problem, sitemaps } = found
        if (problem !== undefined)
          return {
            sitemaps,
            problem: `robots.txt of ${host} cannot be read, so that nothing is read there: ${problem}`,
          }
        return {
          sitemaps: sitemaps.length > 0 ? sitemaps : [new URL("/sitemap.xml", some[0]).href],
          problem: some.some(allows) ? undefined : `robots.txt of ${host} forbids it.`,
        }
      }),
      { concurrency: ROBOTS_MAX },
    )

  return {
    /** Previews a source. What keeps it from being read is part of the result. */
    preview: Effect.fn("SourcePreviews.preview")(function* (kind: CrawledKind, config: SourceConfig) {
      const requests = begin({ requests: 0, bytes: 0 })
      const roots = config.urls.flatMap((url) => addressOf(url) ?? [])
      const scope = makeScope(kind, config, roots)
      const isWebsite = kind === "website"
      const own = isWebsite ? undefined : yield* read(kind, roots, requests, scope)
      const named = own?.pages
      const robots = yield* robotsOf(named ?? roots, requests)
      const sitemaps = robots.flatMap((one) => one.sitemaps).slice(0, SITEMAPS_MAX)
      const found = isWebsite && sitemaps.length > 0 ? yield* read("sitemap", sitemaps, requests, scope) : undefined
      const listed = named ?? found?.pages
      const hosts = new Set((named ?? roots).map(hostOf))
      const problems = [own?.problem, ...robots.map(({ problem }) => problem)]
      return {
        hosts: [...hosts].slice(0, HOSTS_MAX),
        include: scope.include,
        listed: listed?.length ?? null,
        examples: (listed ?? []).slice(0, EXAMPLES_MAX),
        problems: problems.filter((problem) => problem !== undefined),
      } satisfies SourcePreview
    }),
  }
}) {}
