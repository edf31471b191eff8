import { Context } from "effect"

/** The id of the current request. It stands in the header `x-request-id`, in every log line and in every problem. */
export const RequestId: Context.Reference<string> = Context.Reference("parley/domain/RequestId", {
  defaultValue: () => "",
})
