import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import type { Dialect } from "./Dialect.ts"

/*
 * Properties of endpoints that their schemas do not express. An endpoint or its group declares them, as in
 * `.annotate(IsSlow, true)`, and the server reads them there.
 */

/**
 * The dialect in which an endpoint reports its failures. All endpoints whose paths begin with the same segment have the
 * same dialect, so that a request for an unknown path there is refused in that dialect as well.
 */
export const Speaks = Context.Reference<Dialect>("parley/api/parts/Speaks", { defaultValue: () => "parley" })

/** Whether the response may wait for a language model or for a document, with no byte on the wire meanwhile. */
export const IsSlow = Context.Reference<boolean>("parley/api/parts/IsSlow", { defaultValue: () => false })

/**
 * Whether web pages of any origin may read the responses, which then carry CORS headers. Like the dialect, it is the
 * same for all endpoints whose paths begin with the same segment.
 */
export const IsCrossOrigin = Context.Reference<boolean>("parley/api/parts/IsCrossOrigin", { defaultValue: () => true })

/** Whether the endpoint is a health check of load balancers. Health checks are answered while the server shuts down. */
export const IsProbe = Context.Reference<boolean>("parley/api/parts/IsProbe", { defaultValue: () => false })

/**
 * Whether the endpoint takes a body from callers without a credential, who are known by their address alone. Such a body
 * is small, so that nobody can keep the server busy with it.
 */
export const IsForStrangers = Context.Reference<boolean>("parley/api/parts/IsForStrangers", {
  defaultValue: () => false,
})

/** The units that a request to the endpoint takes of the rate limits of its API key and organization. */
export const RequestCost = Context.Reference<number>("parley/api/parts/RequestCost", {
  defaultValue: () => requestCosts.plain,
})

/**
 * The scopes that an API key needs beside the one that the endpoint is about, because of what the response shows:
 * `knowledge:read` for passages of documents, and `conversations:read` for words of visitors and stored answers.
 */
export const AlsoRequires = Context.Reference<ReadonlyArray<Scope>>("parley/api/parts/AlsoRequires", {
  defaultValue: () => [],
})

/**
 * Whether an endpoint that administers, and whose path names no chatbot, limits a key that is bound to a chatbot to what
 * belongs to that chatbot. Otherwise such keys are refused there.
 */
export const LimitsBoundKeys = Context.Reference<boolean>("parley/api/parts/LimitsBoundKeys", {
  defaultValue: () => false,
})

/**
 * The worker on one machine that answers: any, the first, which has made what is made once, or the one that has
 * the replies of the visitor whose token the request carries.
 */
export const AnsweredBy = Context.Reference<"any worker" | "first worker" | "the visitor's worker">(
  "parley/api/parts/AnsweredBy",
  { defaultValue: () => "any worker" },
)

/** Annotates an endpoint whose work takes long, with the units that a request to it takes of rate limits. */
export const slow = (cost: number): Context.Context<never> =>
  Context.make(IsSlow, true).pipe(Context.add(RequestCost, cost))

/** The summary and the description of an endpoint in the OpenAPI document. */
export const described = (summary: string, description: string): Context.Context<never> =>
  OpenApi.annotations({ summary, description })
