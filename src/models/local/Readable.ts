import type { Sentence } from "./Reading.ts"

/*
 * Makes a sentence readable by itself: one that leans on what stands before it is quoted together with that, or after
 * the name of what it is about.
 */

/** The longest sentence that is quoted because the next one needs it, in UTF-16 code units. */
const BEFORE_MAX_LENGTH = 240

/** Words at the beginning of a sentence that stand for a noun before it. */
const PRONOUNS = starting(
  "it, its, he, his, she, her, they, their, this is, this was, this has, this can, this means, this may, this will, this led, that is, that was, that means, these are, these were, these have, those are, those were, both, such, here, there it, there they",
  "er, sie, ihre?, ihren, seine?, seinen, dies, dieser, diese, dieses, diesen, dabei, dafür, damit, darin, davon, dazu, dort, deren, dessen, es (?!gibt|gab|ist|war|wird|wurden?|sind|waren|kann|muss)",
  "il (?!y a|faut|existe|est possible), elle, ils, elles, son, sa, ses, leur, leurs, celui-ci, celle-ci, ceux-ci, cela, ça, c'est, c’est, ce sont",
  "él, ella, ellos, ellas, esto, eso, su, sus, este es, esta es, estos son, estas son",
  "ele, ela, eles, elas, isto, isso, seu, sua, seus, suas, esse é, essa é",
  "egli, ella, esso, essa, essi, esse, lui, lei, loro, questo è, questa è, ciò, il suo, la sua",
  "hij, zij, ze, hun, zijn, haar, dit is, dat is, deze, dit zijn, het is, het was",
  "on, ona, ono, oni, one, jego, jej, ich, to jest, to był",
  "он, она, оно, они, его, её, ее, их, это, этот, эта, эти",
  "він, вона, воно, вони, його, її, їх, це, ці",
  "onlar, bunlar, onun, bunun, onların, bunların, o, bu",
  "و?هو, و?هي, و?هم, و?هذا, و?هذه, و?ذلك, كما, و?كان, و?كانت",
  "यह, ये, वह, वे, इसका, इसकी, इसके, उसका, उनका",
  "den är, det är, den var, de är, han, hon, deras, dess, hans, hennes",
  "den er, det er, den var, de er, hun, hendes, deres, dens, dets",
)
const CJK_PRONOUNS = /^(?:它们?|他们?|她们?|这是|这些|这种|其|该|それ|これ|彼|彼女|그것|그는|그녀|이것)/u

/** Words at the beginning of a sentence that join it to the one before. */
const CONJUNCTIONS = starting(
  "and, but, or, nor, so, however, therefore, thus, hence, moreover, furthermore, nevertheless, nonetheless, otherwise, also, instead, additionally, consequently, for example, for instance, in addition, in contrast, as a result, similarly, likewise, conversely",
  "und, aber, oder, denn, jedoch, daher, deshalb, deswegen, außerdem, dennoch, trotzdem, allerdings, zudem, darüber hinaus, zum beispiel, hingegen",
  "et, mais, ou, donc, cependant, toutefois, ainsi, de plus, en outre, par exemple, par conséquent, néanmoins",
  "y, pero, o, sin embargo, además, por lo tanto, por ejemplo, no obstante, así",
  "e, mas, ou, porém, contudo, além disso, portanto, por exemplo, no entanto, ma, però, tuttavia, inoltre, quindi, per esempio",
  "en, maar, of, echter, daarom, bovendien, bijvoorbeeld, toch",
  "i, a, ale, lub, jednak, dlatego, ponadto, na przykład",
  "и, а, но, или, однако, поэтому, кроме того, тем не менее, также, например, таким образом, при этом",
  "але, або, однак, тому, крім того, наприклад, також",
  "ve, ama, fakat, veya, ancak, bu nedenle, ayrıca, bununla birlikte, örneğin, böylece",
  "و?لكن, ومع ذلك, بالإضافة إلى ذلك, لذلك, وبالتالي, على سبيل المثال",
)
const CJK_CONJUNCTIONS =
  /^(?:但是?|然而|因此|此外|而且|不过|所以|另外|同时|しかし|また|そして|そのため|그러나|또한|그리고)[，,、]?/u

function starting(...lists: ReadonlyArray<string>): RegExp {
  return new RegExp(`^(?:${lists.flatMap((list) => list.split(", ")).join("|")})(?![\\p{L}\\p{M}'’-])\\s?`, "iu")
}

/** Whether a sentence says something about what another one names. */
export const hasOpenPronoun = (text: string): boolean => PRONOUNS.test(text) || CJK_PRONOUNS.test(text)

const conjunctionOf = (text: string): string | undefined =>
  (CONJUNCTIONS.exec(text) ?? CJK_CONJUNCTIONS.exec(text))?.[0]

/** A text that can be read by itself, with the sentences that it consists of. */
export interface Readable {
  readonly text: string
  readonly sentences: ReadonlyArray<Sentence>
}

/** Makes a sentence readable that does not follow the one before it. */
export const readable = (sentence: Sentence): Readable => {
  const { before, text } = sentence
  const conjunction = conjunctionOf(text)
  const isOpen = hasOpenPronoun(text)
  if (conjunction === undefined && !isOpen) return { text, sentences: [sentence] }
  const isClear =
    before !== undefined &&
    before.text.length <= BEFORE_MAX_LENGTH &&
    !hasOpenPronoun(before.text) &&
    conjunctionOf(before.text) === undefined
  if (isClear) return { text: `${before.text} ${text}`, sentences: [before, sentence] }
  const rest = conjunction === undefined ? text : capitalized(text.slice(conjunction.length).replace(/^[,，、]\s*/, ""))
  const subject = isOpen || hasOpenPronoun(rest) ? subjectOf(sentence) : ""
  return { text: subject === "" ? rest : `${subject}: ${rest}`, sentences: [sentence] }
}

const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

/** What a sentence is about: its heading, or else the title of its document. */
const subjectOf = ({ lead, passage }: Sentence): string => {
  const heading = lead.heading.replace(/[:：]$/, "")
  return heading === "" || /[?？؟]$/.test(heading) ? titleOf(passage.title) : heading
}

/** A title without the name of the site after it. */
const titleOf = (title: string): string => title.replace(/\s+[-–—|]\s+[^-–—|]{1,40}$/, "")
