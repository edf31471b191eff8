import { Check, Circle, X } from "lucide"
import { plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { Loaded, Section } from "../../parts/Layout.tsx"
import { href } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { resources, useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import type { Topic } from "../topics/TopicData.ts"
import { answer } from "../topics/Topics.tsx"

/** The most gaps that are listed, open ones and answered ones each. */
const SHOWN_MAX = 5

/** The topics of chatbots that have gaps, those with the most first, but for ignored ones. */
const gapsOf = resources(async (...chatbots: ReadonlyArray<string>): Promise<ReadonlyArray<Topic>> => {
  const lists = await Promise.all(
    chatbots.map((chatbotId) =>
      call("GET /api/external/chatbot/:chatbotId/topics", {
        params: { chatbotId },
        query: { gaps: "true", limit: "30" },
      }),
    ),
  )
  const all = lists.flatMap(({ data }) => data).toSorted((a, b) => b.gaps - a.gaps)
  return (["open", "answered"] as const).flatMap((own) => all.filter(({ state }) => state === own).slice(0, SHOWN_MAX))
})

/** The steps from a question to a test that holds its answer, with how far a topic has come. */
const stepsOf = ({ gaps, questions, state, tests: { passed, total } }: Topic) => [
  { text: `Asked ${questions === 1 ? "once" : `${questions} times`}`, icon: Check, kind: "good" },
  { text: plural(gaps, "gap"), icon: state === "open" ? X : Check, kind: state === "open" ? "bad" : "good" },
  { text: "Answered", icon: state === "answered" ? Check : Circle, kind: state === "answered" ? "good" : "soft" },
  total === 0
    ? { text: "Tested", icon: Circle, kind: "soft" }
    : passed === total
      ? { text: plural(total, "test passes", "tests pass"), icon: Check, kind: "good" }
      : { text: `${total - passed} of ${plural(total, "test")} not passed`, icon: X, kind: "bad" },
]

interface GapsProps {
  readonly chatbots: ReadonlyArray<string>
  /** The name of each gap's chatbot; absent where all are of one. */
  readonly nameOf?: (id: string) => string
}

/** What visitors asked in vain, and how far each of it has come: from the question to the gap, the answer and a test. */
export const Gaps = ({ chatbots, nameOf }: GapsProps) => {
  const gaps = useResource(gapsOf(...chatbots), chatbots.length > 0)
  if (chatbots.length === 0) return null
  return (
    <Loaded of={gaps}>
      {(topics) =>
        topics.length > 0 && (
          <Section
            title="Asked in vain"
            about="What the documents did not answer in the last twelve weeks, by subject."
          >
            <ul class="rows">
              {topics.map((topic) => (
                <li key={topic.id} class="row apart">
                  <div class="stack tight anywhere">
                    <span dir="auto">
                      <a href={href("topics", { chatbotId: topic.chatbot_id })}>{topic.examples[0] ?? topic.name}</a>
                      {nameOf !== undefined && <span class="soft small"> · {nameOf(topic.chatbot_id)}</span>}
                    </span>
                    <ol class="way row small">
                      {stepsOf(topic).map(({ icon, kind, text }) => (
                        <li key={text} class={`row nowrap ${kind}`}>
                          <Icon nodes={icon} size={14} />
                          {text}
                        </li>
                      ))}
                    </ol>
                  </div>
                  {topic.state === "open" && can("knowledge:write", topic.chatbot_id) && (
                    <Button small onClick={() => answer({ topic, onChanged: () => void gaps.reload() })}>
                      Write the answer
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </Section>
        )
      }
    </Loaded>
  )
}
