import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { IsCrossOrigin, IsProbe, Speaks } from "../../api/parts/Annotations.ts"
import { Api } from "../../api/Api.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import { DocsApi } from "../../api/Docs.ts"
import { VisitorAuthorization } from "../../api/Middleware.ts"
import { McpApi } from "../../api/Mcp.ts"
import { OpenApiDocumentApi } from "../../api/OpenApiDocument.ts"
import { WebApi } from "../../api/Web.ts"

/*
 * The routes of the server, derived from the endpoints and their annotations, for what holds before an endpoint has a
 * request and after it has answered. Paths are as clients send them: percent-encoded.
 */

/** One method at one path, with what its endpoint declares. */
export interface Route {
  readonly method: string
  /** The path with the names of its parameters, such as `/v1/models/:model`. */
  readonly path: `/${string}`
  /** Whether it is an operation of the OpenAPI document. */
  readonly isDocumented: boolean
  /** Whether a request without an API key is refused. */
  readonly needsKey: boolean
  /** Whether a request without the token of a visitor of the chat widget is refused. */
  readonly needsVisitor: boolean
  readonly annotations: Context.Context<never>
}

/** The endpoints that the OpenAPI document leaves out. */
const Undocumented = HttpApi.make("undocumented").add(McpApi, DocsApi, OpenApiDocumentApi, WebApi)

const isOfVisitors = ({ key }: { readonly key: string }): boolean => key === VisitorAuthorization.key

const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  isDocumented: boolean,
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path }, mergedAnnotations: annotations, middleware }) => {
      routes.push({
        method,
        path: `/${path.slice(1)}`,
        isDocumented,
        needsKey: Array.from(middleware).some((one) => HttpApiMiddleware.isSecurity(one) && !isOfVisitors(one)),
        needsVisitor: Array.from(middleware).some(isOfVisitors),
        annotations,
      })
    },
  })
  return routes
}

/** Every route of the server. */
export const routes: ReadonlyArray<Route> = [...routesOf(Api, true), ...routesOf(Undocumented, false)]

/** The rules by which the router of the endpoints matches paths too. */
export const routerConfig: FindMyWay.RouterConfig = {
  // A session token of 200 characters, each percent-encoded, is longer than the default of 100.
  maxParamLength: 2_048,
  // Each path has one spelling.
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
}

const router = FindMyWay.make<Route>(routerConfig)
for (const route of routes) router.on(route.method, route.path, route)

/** A route with the parameters of one path. */
export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string | undefined>>
}

/**
 * Finds the route at this method and path; undefined where there is none. HEAD has the routes of GET. Endpoints refuse an
 * empty parameter, which the router takes for one.
 */
export const findRoute = (method: string, path: string): Match | undefined => {
  const result = router.find(method === "HEAD" ? "GET" : method, path)
  return result === undefined || Object.values(result.params).includes("")
    ? undefined
    : { route: result.handler, params: result.params }
}

const documentedMethods = new Set(routes.flatMap(({ isDocumented, method }) => (isDocumented ? [method] : [])))

/** The methods of the documented operations at a path, for `Allow`; empty where there is no operation. */
export const methodsAt = (path: string): ReadonlyArray<string> => {
  const methods = Array.from(documentedMethods).filter((method) => findRoute(method, path)?.route.isDocumented)
  return methods.includes("GET") ? [...methods, "HEAD"] : methods
}

/** Properties of every path that begins with the same segment, whether there is an endpoint at that path or not. */
export interface Area {
  readonly dialect: Dialect
  readonly isCrossOrigin: boolean
  readonly isProbe: boolean
}

/** The area of paths whose first segment is that of no endpoint. */
const elsewhere: Area = { dialect: "parley", isCrossOrigin: false, isProbe: false }

/** The first segment of a path, with the slash that follows it, such as `/v1/`, or `/healthz` where none follows. */
const beginningOf = (path: string): string => path.slice(0, path.indexOf("/", 1) + 1) || path

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

export const areaOf = (path: string): Area => areas.get(beginningOf(path)) ?? elsewhere
