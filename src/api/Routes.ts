import { Context } from "effect"
import { HttpApi, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { IsCrossOrigin, IsProbe, IsSlow, Speaks } from "./Annotations.ts"
import { Api } from "./Api.ts"
import type { Dialect } from "./Dialect.ts"
import { DocsApi } from "./Docs.ts"
import { McpApi } from "./Mcp.ts"
import { OpenApiDocumentApi } from "./OpenApiDocument.ts"

/*
 * The table of all that the server answers to, derived from the endpoints and their annotations. Whoever has to know
 * something about a path asks this table; nothing else matches paths. A path is asked for as it was sent, without its
 * query.
 */

/** What its endpoint declares of a method at a path. */
export interface Route {
  readonly method: string
  /** With parameters as the endpoint names them: `/v1/models/:model`. */
  readonly path: string
  /** Whether it is an operation of the OpenAPI document. */
  readonly isDocumented: boolean
  /** Whether a request without an API key is refused. */
  readonly needsKey: boolean
  readonly annotations: Context.Context<never>
}

/** What is served beside the operations of the OpenAPI document. */
const Undocumented = HttpApi.make("undocumented").add(McpApi, DocsApi, OpenApiDocumentApi)

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
        needsKey: Array.from(middleware).some(HttpApiMiddleware.isSecurity),
        annotations,
      })
    },
  })
  return found
}

export const routes: ReadonlyArray<Route> = [...routesOf(Api, true), ...routesOf(Undocumented, false)]

/** What holds for every path that begins with the same part, be there an endpoint at it or not. */
export interface Area {
  readonly dialect: Dialect
  readonly isCrossOrigin: boolean
  readonly isProbe: boolean
}

/** Where no endpoint is near. */
const elsewhere: Area = { dialect: "parley", isCrossOrigin: false, isProbe: false }

/** The first part of a path, with the slash that follows it: `/v1/`, and `/healthz` where none follows. */
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

/** The area that a path is in. */
export const areaOf = (path: string): Area => areas.get(beginningOf(path)) ?? elsewhere

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Matches every path that is of the form of one of these. A parameter is one part, and never empty. */
const patternOf = (paths: ReadonlyArray<string>): RegExp => {
  const forms = paths.map((path) =>
    path
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : escape(part)))
      .join("/"),
  )
  return new RegExp(`^(?:${forms.join("|")})$`)
}

const slowPaths: ReadonlyMap<string, RegExp> = new Map(
  Array.from(
    Map.groupBy(
      routes.filter(({ annotations }) => Context.get(annotations, IsSlow)),
      ({ method }) => method,
    ),
    ([method, slow]) => [method, patternOf(slow.map(({ path }) => path))],
  ),
)

/** Whether the answer to a request may take long. */
export const isSlow = (method: string, path: string): boolean => slowPaths.get(method)?.test(path) === true

const operations = routes.flatMap(({ isDocumented, method, path }) =>
  isDocumented ? [{ method, pattern: patternOf([path]) }] : [],
)

/** The methods of the OpenAPI document's operations at a path; none when there are none. */
export const methodsAt = (path: string): ReadonlyArray<string> => {
  const methods = new Set(operations.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))
  if (methods.has("GET")) methods.add("HEAD")
  return Array.from(methods)
}
