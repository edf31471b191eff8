import { formatShare, plural } from "../../../shared/Format.ts"
import { PassageText } from "../../parts/Answer.tsx"
import { Badge, Finding, Section } from "../../parts/Layout.tsx"
import { setQuery } from "../../Router.ts"
import { Beside } from "./Beside.tsx"
import type { Review } from "./Mending.ts"

type Passage = Review["now"]["searches"][number]["passages"][number]
type Difference = Review["differences"][number]

/** Opens a passage of a document beside the screen. */
export const openPassage = (documentId: string, chunk: number): void =>
  setQuery({ document: documentId, passage: String(chunk) })

const DifferenceView = ({ after, before, detail }: Difference) => (
  <Finding kind="warn">
    <div class="stack tight">
      <p>{detail}</p>
      {before !== undefined && after !== undefined && (
        <details class="small">
          <summary>Then and now</summary>
          <Beside texts={[before, after]}>
            {[before, after].map((text, index) => (
              <article key={index} class="passage stack tight" aria-label={index === 0 ? "Then" : "Now"}>
                <p class="soft">{index === 0 ? "Then" : "Now"}</p>
                <PassageText text={text} />
              </article>
            ))}
          </Beside>
        </details>
      )}
    </div>
  </Finding>
)

const isAt =
  ({ chunk, document_id: id }: Passage) =>
  (other: Passage): boolean =>
    other.document_id === id && other.chunk === chunk

const FoundPassage = ({
  now,
  then,
}: {
  readonly now: readonly [Passage, number] | undefined
  readonly then: readonly [Passage, number] | undefined
}) => {
  const [passage, rank] = now ?? then ?? []
  if (passage === undefined) return null
  const { approved, chunk, content, document_id: id, similarity, title } = passage
  return (
    <li class="passage stack tight">
      <div class="row apart soft">
        <span class="row">
          <span class="number">{now === undefined ? "–" : `${rank}.`}</span>
          <button type="button" class="link" dir="auto" onClick={() => openPassage(id, chunk)}>
            {title}
          </button>
          <span>passage {chunk}</span>
          {approved === true && <Badge kind="good">Approved answer</Badge>}
          {now === undefined && <Badge kind="bad">Found then, not now</Badge>}
          {now !== undefined && then === undefined && <Badge kind="warn">New</Badge>}
          {now !== undefined && then !== undefined && then[0].revision !== now[0].revision && (
            <Badge kind="warn">Document changed</Badge>
          )}
          {now !== undefined && then !== undefined && then[1] !== now[1] && <Badge>Was {then[1]}</Badge>}
        </span>
        <span class="number">{formatShare(similarity)} match</span>
      </div>
      {content !== undefined && <PassageText text={content} />}
    </li>
  )
}

interface SearchViewProps {
  readonly query: string
  readonly then: ReadonlyArray<Passage> | undefined
  readonly now: ReadonlyArray<Passage>
}

/** A search with what it finds now, best first, and what it found then and does not find any more. */
const SearchView = ({ now, query, then }: SearchViewProps) => {
  const placeIn = (list: ReadonlyArray<Passage>, passage: Passage): readonly [Passage, number] | undefined => {
    const at = list.findIndex(isAt(passage))
    const found = list[at]
    return found && [found, at + 1]
  }
  const gone = (then ?? []).filter((passage) => !now.some(isAt(passage)))
  return (
    <details class="small">
      <summary>
        {plural(now.length, "passage")} for “<bdi>{query}</bdi>”{gone.length > 0 && `, ${gone.length} no longer found`}
      </summary>
      <ol class="stack tight">
        {[...now, ...gone].map((passage) => (
          <FoundPassage
            key={`${passage.document_id} ${passage.chunk}`}
            now={placeIn(now, passage)}
            // What was not kept is not new.
            then={placeIn(then ?? now, passage)}
          />
        ))}
      </ol>
    </details>
  )
}

/** What a reply rested on, then and now, and how that differs. */
export const Ground = ({ review: { before, differences, now } }: { readonly review: Review }) => (
  <Section
    title="Sources then and now"
    about={
      before === null
        ? "What this answer rested on is no longer kept. These passages are found now."
        : "The likeliest cause of another answer comes first."
    }
  >
    {before !== null && differences.length === 0 && (
      <p class="soft">Nothing has changed: only the model itself could answer differently now.</p>
    )}
    {differences.length > 0 && (
      <ul class="stack tight" aria-label="Differences">
        {differences.map((difference, index) => (
          <DifferenceView key={index} {...difference} />
        ))}
      </ul>
    )}
    {now.searches.length === 0 && <p class="soft">The chatbot did not search its knowledge for this answer.</p>}
    {now.searches.map(({ passages, query }, index) => (
      <SearchView
        key={index}
        query={query}
        now={passages}
        then={before?.searches.find((search) => search.query === query)?.passages}
      />
    ))}
  </Section>
)
