import { Context } from "effect"

/** The base of the addresses in responses, such as those of avatars, without a slash at the end. */
export class PublicUrl extends Context.Service<PublicUrl, string>()("parley/services/PublicUrl") {}

/**
 * Whether the settings name the public URL. Without, it is the address on which the server listens, which browsers on the
 * same machine may call `localhost` as well.
 */
export const HasPublicUrl = Context.Reference<boolean>("parley/services/HasPublicUrl", { defaultValue: () => false })
