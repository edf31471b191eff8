import { plural } from "../../../shared/Format.ts"
import { PassageText } from "../../parts/Answer.tsx"
import { Badge, Finding, Section } from "../../parts/Layout.tsx"
import { passageOf, Passages } from "../playground/Passages.tsx"
import { Beside } from "./Beside.tsx"
import type { Review } from "./Mending.ts"

type Search = Review["now"]["searches"][number]

const DifferenceView = ({ after, before, detail }: Review["differences"][number]) => (
  <Finding kind="warn">
    <div class="stack tight">
      <p>{detail}</p>
      {before !== undefined && after !== undefined && (
        <details class="small">
          <summary>Then and now</summary>
          <Beside texts={[before, after]}>
            {[before, after].map((text, index) => (
              <article key={index} class="passage stack tight">
                <h3>{index === 0 ? "Then" : "Now"}</h3>
                <PassageText text={text} />
              </article>
            ))}
          </Beside>
        </details>
      )}
    </div>
  </Finding>
)

/** A search with what it finds now, best first, and after that what it found then alone. */
export const SearchView = ({ now, then }: { readonly now: Search; readonly then: Search | undefined }) => {
  const rankIn = (search: Search, of: Search["passages"][number]): number =>
    1 + search.passages.findIndex((each) => each.document_id === of.document_id && each.chunk === of.chunk)
  const gone = (then?.passages ?? []).filter((passage) => rankIn(now, passage) === 0)
  const all = [...now.passages, ...gone]
  const notes = all.map((passage, index) => {
    // What was not kept is not new.
    const before = rankIn(then ?? now, passage)
    const isChanged = then?.passages[before - 1]?.revision !== passage.revision
    return (
      <span class="row" key={index}>
        {index < now.passages.length ? `Rank ${index + 1}` : <Badge kind="bad">Not found any more</Badge>}
        {before === 0 ? <Badge kind="warn">New</Badge> : before !== index + 1 && <Badge>Was {before}</Badge>}
        {then !== undefined && before > 0 && isChanged && <Badge kind="warn">Document changed</Badge>}
        {passage.approved === true && <Badge kind="good">Approved answer</Badge>}
      </span>
    )
  })
  return (
    <details class="small">
      <summary>
        {plural(now.passages.length, "passage")} for “<bdi>{now.query}</bdi>”
        {gone.length > 0 && `, ${gone.length} not found any more`}
      </summary>
      <Passages passages={all.map(passageOf)} notes={notes} />
    </details>
  )
}

/** What a reply rested on, then and now, and how that differs. */
export const Ground = ({ review: { before, differences, now } }: { readonly review: Review }) => (
  <Section title="Sources then and now">
    {before === null && <p class="soft">What the answer rested on is no longer kept. These passages are found now.</p>}
    {before !== null && differences.length === 0 && (
      <p class="soft">Nothing has changed: only the model itself could answer differently now.</p>
    )}
    {differences.length > 0 && (
      <ul class="stack tight" aria-label="Differences, the likeliest cause first">
        {differences.map((difference, index) => (
          <DifferenceView key={index} {...difference} />
        ))}
      </ul>
    )}
    {now.searches.length === 0 && <p class="soft">The chatbot did not search its knowledge for this answer.</p>}
    {now.searches.map((search, index) => (
      <SearchView key={index} now={search} then={before?.searches.find(({ query }) => query === search.query)} />
    ))}
  </Section>
)
