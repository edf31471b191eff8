import type { HttpApiSchema } from "effect/http-api"
import type { Api } from "../../../api/Api.ts"

/*
 * The types of what endpoints take and answer, derived from their declarations: the console cannot ask for a path that
 * does not exist, nor read a field that no answer has. They are what goes over the wire: ids and times are texts.
 */

type Groups = (typeof Api)["groups"]
type EndpointsOf<Group> = Group extends { readonly endpoints: infer E } ? E[keyof E] : never
type AnyEndpoint = { [Name in keyof Groups]: EndpointsOf<Groups[Name]> }[keyof Groups]
type RouteOf<E> = E extends { readonly method: infer M extends string; readonly path: infer P extends string }
  ? `${M} ${P}`
  : never

/** A method and a path of the API, such as `GET /api/external/chatbot/:chatbotId`. */
export type Route = RouteOf<AnyEndpoint>

type Matching<E, R extends Route> = E extends unknown ? (RouteOf<E> extends R ? E : never) : never
type EndpointAt<R extends Route> = Matching<AnyEndpoint, R>

/** The schema as the endpoint declares it, without the codec around it. */
type Declared<S> = S extends { readonly Encoded: unknown; readonly schema: infer Inner } ? Declared<Inner> : S
type Encoded<S> = [S] extends [never] ? never : Declared<S> extends { readonly Encoded: infer A } ? A : never

/** The body of a successful answer, as JSON. */
export type Answer<R extends Route> = EndpointAt<R> extends { readonly "~Success": infer S } ? Encoded<S> : never

type Form = { readonly "~effect/Brand": { readonly [K in HttpApiSchema.MultipartStreamTypeId]: unknown } }
type BodyOf<S> = S extends { readonly Type: infer Type } ? (Type extends Form ? FormData : Encoded<S>) : never

/** The body of a request, as JSON, or `FormData` for endpoints that take a form; `never` for those that take none. */
export type Payload<R extends Route> = EndpointAt<R> extends { readonly "~Payload": infer S } ? BodyOf<S> : never

/** The parameters of the path. */
export type Params<R extends Route> = EndpointAt<R> extends { readonly "~Params": infer S } ? Encoded<S> : never

/** The parameters of the query. */
export type Query<R extends Route> = EndpointAt<R> extends { readonly "~Query": infer S } ? Encoded<S> : never
