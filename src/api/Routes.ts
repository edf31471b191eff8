import { Context } from "effect"
import { HttpApi, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { IsCrossOrigin, IsProbe, IsSlow, Speaks } from "./parts/Annotations.ts"
import { Api } from "./Api.ts"
import type { Dialect } from "./parts/Dialect.ts"
import { DocsApi } from "./Docs.ts"
import { VisitorAuthorization } from "./Middleware.ts"
import { McpApi } from "./Mcp.ts"
import { OpenApiDocumentApi } from "./OpenApiDocument.ts"
import { WebApi } from "./Web.ts"

/*
 * The table of all routes of the server, derived from the endpoints and their annotations. It is the only place that
 * matches paths. Its functions take paths as clients send them: percent-encoded, without the query.
 */

/** One method at one path, with what its endpoint declares. */
export interface Route {
  readonly method: string
  /** The path with the names of its parameters, such as `/v1/models/:model`. */
  readonly path: string
  /** Whether it is an operation of the OpenAPI document. */
  readonly isDocumented: boolean
  /** Whether a request without an API key is refused. */
  readonly needsKey: boolean
  /** Whether a request without the token of a visitor of the chat widget is refused. */
  readonly needsVisitor: boolean
  readonly annotations: Context.Context<never>
  /** The place of the id of a chatbot among the segments of the path; -1 where none of them is one. */
  readonly chatbotAt: number
}

/** The endpoints that the OpenAPI document leaves out. */
const Undocumented = HttpApi.make("undocumented").add(McpApi, DocsApi, OpenApiDocumentApi, WebApi)

const isOfVisitors = ({ key }: { readonly key: string }): boolean => key === VisitorAuthorization.key

const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  isDocumented: boolean,
): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path }, mergedAnnotations: annotations, middleware }) => {
      found.push({
        method,
        path,
        isDocumented,
        needsKey: Array.from(middleware).some((one) => HttpApiMiddleware.isSecurity(one) && !isOfVisitors(one)),
        needsVisitor: Array.from(middleware).some(isOfVisitors),
        annotations,
        chatbotAt: path.split("/").indexOf(":chatbotId"),
      })
    },
  })
  return found
}

/** Every route of the server. */
export const routes: ReadonlyArray<Route> = [...routesOf(Api, true), ...routesOf(Undocumented, false)]

/** What holds for every path that begins with the same segment, whether there is an endpoint at that path or not. */
export interface Area {
  readonly dialect: Dialect
  readonly isCrossOrigin: boolean
  readonly isProbe: boolean
}

/** The area of paths whose first segment is that of no endpoint. */
const elsewhere: Area = { dialect: "parley", isCrossOrigin: false, isProbe: false }

/** The first segment of a path, with the slash that follows it, such as `/v1/`, or `/healthz` where none follows. */
const beginningOf = (path: string): string => {
  const slash = path.indexOf("/", 1)
  return slash === -1 ? path : path.slice(0, slash + 1)
}

const areas: ReadonlyMap<string, Area> = new Map(
  routes.map(({ annotations, path }) => [
    beginningOf(path),
    {
      dialect: Context.get(annotations, Speaks),
      isCrossOrigin: Context.get(annotations, IsCrossOrigin),
      isProbe: Context.get(annotations, IsProbe),
    },
  ]),
)

/** The area of a path. */
export const areaOf = (path: string): Area => areas.get(beginningOf(path)) ?? elsewhere

/** Whether a path is below the one for which the specification of the API shows the headers of responses. */
export const isOfSpecification = (path: string): boolean => path.startsWith("/api/external/")

/** A place in the tree of paths: the routes that end here, by method, and the places below, by segment. */
interface Place {
  readonly ends: Map<string, Route>
  readonly below: Map<string, Place>
}

const PARAMETER = ":"
/** The last segment of a path that stands for one or more segments. */
const REST = "*"

const makePlace = (): Place => ({ ends: new Map(), below: new Map() })

/** A tree and no regular expressions, because every request is looked up. */
const tree = makePlace()
for (const route of routes) {
  let place = tree
  for (const part of route.path.slice(1).split("/")) {
    const segment = part.startsWith(PARAMETER) ? PARAMETER : part
    let next = place.below.get(segment)
    if (next === undefined) place.below.set(segment, (next = makePlace()))
    place = next
  }
  place.ends.set(route.method, route)
}

/** Finds the first route that `pick` accepts, at the places that fit the path from this index on. */
const find = <A>(place: Place, path: string, from: number, pick: (found: Place) => A | undefined): A | undefined => {
  const slash = path.indexOf("/", from)
  const end = slash === -1 ? path.length : slash
  const literal = place.below.get(path.slice(from, end))
  const named = literal && (slash === -1 ? pick(literal) : find(literal, path, slash + 1, pick))
  if (named !== undefined) return named
  const parameter = end === from ? undefined : place.below.get(PARAMETER)
  const found = parameter && (slash === -1 ? pick(parameter) : find(parameter, path, slash + 1, pick))
  if (found !== undefined) return found
  const rest = from < path.length ? place.below.get(REST) : undefined
  return rest && pick(rest)
}

/** The route at this method and path; undefined where there is none. HEAD has the routes of GET. */
export const routeOf = (method: string, path: string): Route | undefined =>
  find(tree, path, 1, ({ ends }) => ends.get(method === "HEAD" ? "GET" : method))

/** The id of a chatbot in a path of this route; undefined where there is none. */
export const chatbotIn = ({ chatbotAt }: Route, path: string): string | undefined =>
  chatbotAt === -1 ? undefined : path.split("/")[chatbotAt]

/** Whether the endpoint at this method and path is annotated with `IsSlow`. */
export const isSlow = (method: string, path: string): boolean => {
  const route = routeOf(method, path)
  return route !== undefined && Context.get(route.annotations, IsSlow)
}

/** The segment that names a conversation: its id or the visitor's token, either of which continues it. */
const conversation = /\/conversations\/[^/]+/

/** The path of a request as the log shows it, without what only the visitor of a conversation should know. */
export const loggedPath = (path: string): string => path.replace(conversation, "/conversations/…")

/** The methods of the documented operations at a path, for `Allow`; empty where there is no operation. */
export const methodsAt = (path: string): ReadonlyArray<string> => {
  const methods = new Set<string>()
  find(tree, path, 1, ({ ends }) => {
    for (const { isDocumented, method } of ends.values()) if (isDocumented) methods.add(method)
    // The search goes on, so that it passes every place that fits.
    return undefined
  })
  if (methods.has("GET")) methods.add("HEAD")
  return Array.from(methods)
}
