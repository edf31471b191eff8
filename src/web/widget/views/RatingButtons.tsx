import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { type IconNode, ThumbsDown, ThumbsUp } from "lucide"
import type { Rating, Reply } from "../model/Entries.ts"
import { useWidget } from "./Context.ts"
import { ToolButton } from "./IconButton.tsx"

const MAX_COMMENT_LENGTH = 2_000

/** Thumbs, and a comment once one of them is pressed. Pressing it again takes the rating back. */
export const RatingButtons = ({ reply }: { readonly reply: Reply }): VNode => {
  const { chat, language } = useWidget()
  const { texts } = language.value
  const isCommenting = useSignal(false)
  const isThanked = useSignal(false)
  const rated = reply.rating.value?.rating
  const rate = (rating: Rating["rating"]) => {
    const isTakenBack = rated === rating
    isThanked.value = false
    isCommenting.value = !isTakenBack
    void chat.rate(reply, isTakenBack ? undefined : { rating, comment: null })
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement) || rated === undefined) return
    const comment = String(new FormData(event.currentTarget).get("comment") ?? "").trim()
    isCommenting.value = false
    if (comment === "") return
    void chat.rate(reply, { rating: rated, comment }).then((done) => (isThanked.value = done))
  }
  const button = (rating: Rating["rating"], icon: IconNode, label: string) => (
    <ToolButton {...{ icon, label }} aria-pressed={rated === rating} onClick={() => rate(rating)} />
  )
  return (
    <>
      {button("up", ThumbsUp, texts.helpful)}
      {button("down", ThumbsDown, texts.notHelpful)}
      {isCommenting.value && (
        <form class="row comment" onSubmit={submit}>
          <textarea
            name="comment"
            rows={2}
            maxLength={MAX_COMMENT_LENGTH}
            dir="auto"
            aria-label={texts.comment}
            placeholder={texts.comment}
          />
          <button type="submit" class="small-button">
            {texts.submit}
          </button>
          <button type="button" class="quiet-button" onClick={() => (isCommenting.value = false)}>
            {texts.skip}
          </button>
        </form>
      )}
      {isThanked.value && <output class="note">{texts.thanks}</output>}
    </>
  )
}
