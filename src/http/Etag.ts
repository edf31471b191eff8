import { HttpApiSchema } from "effect/http-api"
import { etagOf, type Versioned } from "../services/Versions.ts"

/** A response body with the header `ETag`, which names the version of what is in it. */
export const withEtag = <A>(body: A, resource: Versioned) =>
  HttpApiSchema.withHeaders({ body, headers: { etag: etagOf(resource) } })
