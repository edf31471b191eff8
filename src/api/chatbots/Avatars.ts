import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Chatbot } from "../../domain/chatbot/Chatbot.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { described, RequestCost } from "../parts/Annotations.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"
import { FormFile } from "../parts/FormFile.ts"
import { Idempotent, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"

/** Serves the image of an avatar without an API key. The endpoint belongs to the group `system`. */
export const avatar = HttpApiEndpoint.get("avatar", "/avatars/:name", {
  params: {
    name: Schema.String.check(
      Schema.isPattern(/^[0-9a-f-]{36}(?:\.\d{1,9})?\.(?:png|jpg|webp|gif)$/u, {
        message: "Expected the name of an avatar, as `settings.avatar` ends with it",
      }),
    ).annotate({
      description: "The file's name, as `settings.avatar` of a chatbot holds it.",
      examples: ["987c56ce-0295-48d0-b5c8-b9ccb000ab39.2048.png"],
    }),
  },
  success: HttpApiSchema.StreamUint8Array({ contentType: "image/*" }),
  error: Problem.NotFound,
}).annotateMerge(
  described("A chatbot's avatar", "Public, immutable, never executed by a browser: a new avatar has a new address."),
)

/** The multipart form of `updateAvatar`. */
export const AvatarForm = Schema.Struct({
  avatar: FormFile.annotate({ description: "PNG, JPEG, WebP or GIF, told by its content, at most 10 MiB." }),
})

/** Replaces the avatar of a chatbot. The endpoint belongs to the group `chatbots`. */
export const updateAvatar = HttpApiEndpoint.patch("updateAvatar", "/api/external/chatbot/:chatbotId/update-avatar", {
  params: { chatbotId: ChatbotId },
  headers: IfMatch,
  payload: AvatarForm.pipe(HttpApiSchema.asMultipartStream()),
  success: withEtag(Schema.Struct({ chatbot: Chatbot, message: Schema.Literal("Avatar updated successfully") })),
  error: [Problem.NotFound, Problem.PreconditionFailed, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotate(RequestCost, requestCosts.upload)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Update the avatar",
      "`settings.avatar` is then the address under which this server shows it to everyone.",
    ),
  )
