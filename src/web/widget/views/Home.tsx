import type { VNode } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { blocksOf } from "../../shared/markdown/Blocks.ts"
import { Markdown } from "../../shared/markdown/Markdown.tsx"
import { useWidget } from "./Context.ts"

const RECENT_COUNT = 3

/** Content above the first message: a greeting, and as long as nothing is said, ways to begin. */
export const Home = (): VNode => {
  const { chat, config, host, language } = useWidget()
  const { avatar, greeting } = config.value
  const blocks = useMemo(() => blocksOf(greeting), [greeting])
  const isPreview = host.mode === "preview"
  const hasBegun = chat.entries.value.length > 0 || chat.isLoading.value
  return (
    <>
      {greeting !== "" && (
        <article class="reply greeting">
          {avatar !== "" && <img class="avatar" src={avatar} alt="" width="28" height="28" />}
          <Markdown blocks={blocks} texts={language.value.texts} />
        </article>
      )}
      {(isPreview || !hasBegun) && <Suggestions questions={config.value.suggestions} />}
      {!isPreview && !hasBegun && host.state.value !== undefined && <Recent />}
    </>
  )
}

/** Questions of the operator, each of which is asked by a click. */
const Suggestions = ({ questions }: { readonly questions: ReadonlyArray<string> }): VNode | null => {
  const { chat, config, focusRequests, host } = useWidget()
  if (questions.length === 0 || !config.value.is_active || chat.isGone.value) return null
  const ask = (text: string): void => {
    if (host.mode === "preview") return
    void chat.send(text)
    // The button that had the focus is gone.
    focusRequests.value += 1
  }
  return (
    <ul class="suggestions">
      {questions.map((text) => (
        <li key={text}>
          <button type="button" dir="auto" onClick={() => ask(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  )
}

const Recent = (): VNode | null => {
  const { areConversationsOpen, chat, conversations, language } = useWidget()
  const { ago, texts } = language.value
  useEffect(() => void conversations.load(), [])
  const list = conversations.list.value?.slice(0, RECENT_COUNT) ?? []
  if (list.length === 0 || areConversationsOpen.value) return null
  return (
    <section aria-labelledby="recent">
      <h2 id="recent" class="note">
        {texts.conversations}
      </h2>
      <ul class="conversations">
        {list.map(({ id, title, updated_at }) => (
          <li key={id} class="conversation">
            <button type="button" class="opens" onClick={() => void chat.open(id)}>
              <bdi class="ellipsis">{title}</bdi>
              <span class="note">{ago(updated_at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
