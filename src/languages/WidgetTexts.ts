/**
 * Everything that the chat widget says by itself, in one language. Names in braces stand for what is filled in: `{n}` for a number,
 * which is written so that no grammar depends on it.
 */
export interface WidgetTexts {
  readonly placeholder: string
  readonly send: string
  readonly stop: string
  readonly charactersOver: string

  readonly newConversation: string
  readonly conversations: string
  readonly close: string

  readonly conversation: string
  readonly you: string
  readonly thinking: string
  /** `{query}` is what the documents are searched for. */
  readonly searchingFor: string
  readonly reading: string
  readonly stopped: string
  readonly interrupted: string
  readonly reconnecting: string
  readonly newMessages: string
  readonly earlier: string
  readonly loading: string

  readonly copy: string
  readonly copied: string
  readonly table: string
  readonly askAgain: string
  readonly helpful: string
  readonly notHelpful: string
  readonly comment: string
  readonly submit: string
  readonly thanks: string

  readonly sources: string
  readonly page: string

  readonly emailQuestion: string
  readonly email: string
  readonly goOn: string
  readonly skip: string

  readonly messages: string
  readonly noConversations: string
  readonly download: string
  readonly remove: string
  readonly removeQuestion: string
  readonly removeAll: string
  readonly removeAllQuestion: string
  readonly cancel: string

  readonly tryAgain: string
  readonly offline: string
  readonly busy: string
  readonly spent: string
  readonly gone: string
  readonly missing: string
  readonly refused: string
  readonly failed: string
}
