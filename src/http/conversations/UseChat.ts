import { Effect, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidRequest } from "../../domain/Errors.ts"

/** The fields that the AI SDK's transport sends by itself. */
const ownFields: ReadonlySet<string> = new Set(["id", "messages", "trigger", "messageId"])
const triggers: ReadonlySet<unknown> = new Set(["submit-message", "regenerate-message"])

/**
 * Whether a body is from the AI SDK's `useChat`. Programs send the same fields, such as those that pass them on from a
 * browser, and read the answer as JSON: they are told apart by further fields, which a browser may send as well.
 */
const isUseChats = (body: unknown, isBrowser: boolean): boolean =>
  Predicate.hasProperty(body, "messages") &&
  Array.isArray(body.messages) &&
  body.messages.every((message) => Predicate.hasProperty(message, "parts")) &&
  Predicate.hasProperty(body, "id") &&
  Predicate.hasProperty(body, "trigger") &&
  triggers.has(body.trigger) &&
  (isBrowser || Object.keys(body).every((name) => ownFields.has(name)))

const noStream = new InvalidRequest({
  detail:
    "useChat of the AI SDK shows nothing of an answer in JSON: add ?stream=true to the address in `api` of its transport. For JSON all the same, add ?stream=false.",
  errors: [{ path: "stream", message: "Expected true, or false for an answer in JSON" }],
})

/**
 * Refuses a request of `useChat` that is about to be answered as JSON: it would show neither an answer nor an error. The
 * address or `Accept` may ask for JSON by name.
 */
export const refuseUseChat = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, InvalidRequest> =>
  request.headers["accept"]?.includes("application/json") === true
    ? Effect.void
    : Effect.flatMap(Effect.orDie(request.json), (body) =>
        isUseChats(body, request.headers["origin"] !== undefined) ? Effect.fail(noStream) : Effect.void,
      )
