import { Context } from "effect"

/** Base of the addresses that the server gives out, without a slash at the end. */
export class PublicUrl extends Context.Service<PublicUrl, string>()("parley/services/PublicUrl") {}
