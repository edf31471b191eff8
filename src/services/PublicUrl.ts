import { Context } from "effect"

/** The base of the addresses in responses, such as those of avatars, without a slash at the end. */
export class PublicUrl extends Context.Service<PublicUrl, string>()("parley/services/PublicUrl") {}
