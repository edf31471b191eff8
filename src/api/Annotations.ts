import { Context } from "effect"
import type { Dialect } from "./Dialect.ts"

/*
 * What holds for an endpoint beside its schemas. It is declared with the endpoint or its group, as in
 * `.annotate(IsSlow, true)`, and read from the table in `Routes.ts`.
 */

/**
 * The dialect in which an endpoint tells its failures. All endpoints whose paths begin with the same part have the same
 * one, so that a request for a path that does not exist there is refused in that dialect as well.
 */
export const Speaks = Context.Reference<Dialect>("parley/api/Speaks", { defaultValue: () => "parley" })

/** Whether an answer may take as long as a language model or a document does, with no byte on the wire meanwhile. */
export const IsSlow = Context.Reference<boolean>("parley/api/IsSlow", { defaultValue: () => false })

/**
 * Whether pages of any origin may read the answers, which then carry CORS headers. As the dialect, it is the same for
 * all endpoints whose paths begin with the same part.
 */
export const IsCrossOrigin = Context.Reference<boolean>("parley/api/IsCrossOrigin", { defaultValue: () => true })

/** Whether a load balancer asks it about the server's health. Such an endpoint is answered while the server shuts down. */
export const IsProbe = Context.Reference<boolean>("parley/api/IsProbe", { defaultValue: () => false })
