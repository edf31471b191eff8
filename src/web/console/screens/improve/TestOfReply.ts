import { type Answer, call } from "../../server/Api.ts"

const route = "/api/external/chatbot/:chatbotId/tests"

/** What a test asks: the question of a reply with the turns before it, or a question alone. */
export type Asked = { readonly message_id: string } | { readonly question: string }

/**
 * Keeps what was asked as a test with these expectations, or changes the test that was made of it before. `made` holds the
 * id of the test once it is made, so that a change that fails does not make another one the next time.
 */
export const keepTest = async (
  chatbotId: string,
  asked: Asked,
  expectations: Answer<`GET ${typeof route}/:testId`>["test"]["expectations"],
  made: { value: string | undefined } = { value: undefined },
): Promise<void> => {
  const params = { chatbotId }
  made.value ??= (
    "question" in asked
      ? await call(`POST ${route}`, { params, body: { ...asked, expectations } })
      : await call(`POST ${route}/from-reply`, { params, body: asked })
  ).test.id
  await call(`PATCH ${route}/:testId`, { params: { ...params, testId: made.value }, body: { expectations } })
}
