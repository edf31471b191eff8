import type { Language } from "../../text/Language.ts"
import { languageOf } from "./PassageLanguage.ts"
import { isQuestion, type Sentence } from "./Reading.ts"

/*
 * Makes a sentence readable by itself: one that leans on what stands before it is quoted together with that, or after
 * the name of what it is about.
 */

/** The longest sentence that is quoted because the next one needs it, in UTF-16 code units. */
const BEFORE_MAX_LENGTH = 240

/** Things that are named one after the other, of which the heading tells what they are. */
const LISTING = /^[^;]{1,200};[^;]{1,200};/

interface Openings {
  /** Matches words at the beginning of a sentence that stand for a noun before it. */
  readonly pronouns: RegExp
  /** Matches words at the beginning of a sentence that join it to the one before. */
  readonly conjunctions: RegExp
}

const starting = (list: string): RegExp =>
  new RegExp(`^(?:${list.split(", ").join("|")})(?![\\p{L}\\p{M}'’-])\\s?`, "iu")

const openings = (pronouns: string, conjunctions: string): Openings => ({
  pronouns: starting(pronouns),
  conjunctions: starting(conjunctions),
})

/** How sentences begin that lean on the one before, by their language. A word of one is another word in the next. */
const OPENINGS: Partial<Readonly<Record<Language, Openings>>> = {
  english: openings(
    "it, its, he, his, she, her, they, their, this is, this was, this has, this can, this means, this may, this will, this led, that is, that was, that means, these are, these were, these have, those are, those were",
    "and, but, or, nor, so, however, therefore, thus, hence, moreover, furthermore, nevertheless, nonetheless, otherwise, also, instead, additionally, consequently, for example, for instance, in addition, in contrast, as a result, similarly, likewise, conversely",
  ),
  german: openings(
    "er, sie, ihre?, ihren, seine?, seinen, dies, dieser, diese, dieses, diesen, dabei, dafür, damit, darin, davon, dazu, dort, deren, dessen, es (?!gibt|gab|ist|war|wird|wurden?|sind|waren|kann|muss)",
    "und, aber, oder, denn, jedoch, daher, deshalb, deswegen, außerdem, dennoch, trotzdem, allerdings, zudem, darüber hinaus, zum beispiel, hingegen",
  ),
  french: openings(
    "il (?!y a|faut|existe|est possible), elle, ils, elles, son, sa, ses, leur, leurs, celui-ci, celle-ci, ceux-ci, cela, ça, c['’]est, ce sont",
    "et, mais, ou, donc, cependant, toutefois, ainsi, de plus, en outre, par exemple, par conséquent, néanmoins",
  ),
  spanish: openings(
    "él, ella, ellos, ellas, esto, eso, su, sus, este es, esta es, estos son, estas son",
    "y, pero, o, sin embargo, además, por lo tanto, por ejemplo, no obstante, así",
  ),
  portuguese: openings(
    "ele, ela, eles, elas, isto, isso, seu, sua, seus, suas, esse é, essa é",
    "e, mas, ou, porém, contudo, além disso, portanto, por exemplo, no entanto",
  ),
  italian: openings(
    "egli, ella, esso, essa, essi, esse, lui, lei, loro, questo è, questa è, ciò, il suo, la sua",
    "e, ma, o, però, tuttavia, inoltre, quindi, per esempio",
  ),
  dutch: openings(
    "hij, zij, ze, hun, zijn, haar, dit is, dat is, deze, dit zijn",
    "en, maar, of, echter, daarom, bovendien, bijvoorbeeld, toch",
  ),
  simple: openings(
    "on, ona, ono, oni, one, jego, jej, ich, to jest, to był, він, вона, воно, вони, його, її, їх, це, ці",
    "i, a, ale, lub, jednak, dlatego, ponadto, na przykład, але, або, однак, тому, крім того, наприклад, також",
  ),
  russian: openings(
    "он, она, оно, они, его, её, ее, их, это, этот, эта, эти",
    "и, а, но, или, однако, поэтому, кроме того, тем не менее, также, например, таким образом, при этом",
  ),
  turkish: openings(
    "onlar, bunlar, onun, bunun, onların, bunların, o, bu",
    "ve, ama, fakat, veya, ancak, bu nedenle, ayrıca, bununla birlikte, örneğin, böylece",
  ),
  arabic: openings(
    "و?هو, و?هي, و?هم, و?هذا, و?هذه, و?ذلك, كما, و?كان, و?كانت",
    "و?لكن, ومع ذلك, بالإضافة إلى ذلك, لذلك, وبالتالي, على سبيل المثال",
  ),
  hindi: openings("यह, ये, वह, वे, इसका, इसकी, इसके, उसका, उनका", "और, लेकिन, परंतु, इसलिए"),
  swedish: openings(
    "den är, det är, den var, de är, han, hon, deras, dess, hans, hennes",
    "och, men, eller, dock, därför, dessutom, till exempel",
  ),
  danish: openings(
    "den er, det er, den var, de er, han, hun, hendes, deres, dens, dets",
    "og, men, eller, dog, derfor, desuden, for eksempel",
  ),
  norwegian: openings(
    "den er, det er, den var, de er, han, hun, hennes, deres",
    "og, men, eller, likevel, derfor, dessuten, for eksempel",
  ),
}
/** The same for languages without spaces, which are recognized by their script. */
const UNSPACED: Openings = {
  pronouns: /^(?:它们?|他们?|她们?|这是|这些|这种|其|该|それ|これ|彼|彼女|그것|그는|그녀|이것)/u,
  conjunctions:
    /^(?:但是?|然而|因此|此外|而且|不过|所以|另外|同时|しかし|また|そして|そのため|그러나|또한|그리고)[，,、]?/u,
}
const IS_UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

const openingsOf = ({ passage, text }: Sentence): Openings | undefined =>
  IS_UNSPACED.test(text) ? UNSPACED : OPENINGS[languageOf(passage)]

/** A text that can be read by itself, with the sentences that it consists of. */
export interface Readable {
  readonly text: string
  readonly sentences: ReadonlyArray<Sentence>
}

/** Makes a sentence readable that does not follow the one before it. */
export const readable = (sentence: Sentence): Readable => {
  const { before, text } = sentence
  const { heading } = sentence.lead
  if (LISTING.test(text) && heading !== "" && !isQuestion(heading)) {
    return { text: `${heading.replace(/[:：]$/, "")}: ${text}`, sentences: [sentence] }
  }
  const own = openingsOf(sentence)
  const leans = (other: string) => own?.conjunctions.test(other) === true || own?.pronouns.test(other) === true
  if (own === undefined || !leans(text)) return { text, sentences: [sentence] }
  if (before !== undefined && before.text.length <= BEFORE_MAX_LENGTH && !leans(before.text)) {
    return { text: `${before.text} ${text}`, sentences: [before, sentence] }
  }
  const rest = capitalized(text.replace(own.conjunctions, "").replace(/^[,，、]\s*/, ""))
  if (!own.pronouns.test(rest)) return { text: rest, sentences: [sentence] }
  // What a question asks about is what its answer is about.
  const subject = isQuestion(heading)
    ? heading
    : `${heading === "" ? titleOf(sentence) : heading.replace(/[:：]$/, "")}:`
  return { text: `${subject} ${rest}`, sentences: [sentence] }
}

const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

/** The title of a document without the name of the site after it. */
const titleOf = ({ passage }: Sentence): string => passage.title.replace(/\s+[-–—|]\s+[^-–—|]{1,40}$/, "")
