import { type PublishableKey, stateOf } from "../../data/Admin.ts"
import { allows } from "../../data/Origins.ts"

/*
 * Whether a page embeds the widget right. All that can be said without loading the page, from its address, from its HTML
 * and from the headers that it is sent with.
 */

type KnownKey = Pick<PublishableKey, "public_key" | "allowed_origins" | "expires_at" | "revoked_at">

export interface PageQuestion {
  readonly origin: string
  /** The HTML of the page, its headers, or its Content-Security-Policy alone, as the person has it. */
  readonly source: string
  /** The server's address, without a slash at its end. */
  readonly server: string
  readonly chatbotId: string
  readonly isPublic: boolean
  readonly isActive: boolean
  readonly keys: ReadonlyArray<KnownKey>
}

export interface Finding {
  readonly state: "good" | "warn" | "bad"
  readonly text: string
  readonly missingOrigin?: string
}

const good = (text: string): Finding => ({ state: "good", text })
const warn = (text: string): Finding => ({ state: "warn", text })
const bad = (text: string): Finding => ({ state: "bad", text })

interface Script {
  readonly src: string
  readonly key: string | undefined
}

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&")

const attributeOf = (tag: string, name: string): string | undefined => {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i").exec(tag)
  const value = match?.[1] ?? match?.[2] ?? match?.[3]
  return value === undefined ? undefined : unescaped(value)
}

export const scriptsIn = (source: string): ReadonlyArray<Script> =>
  Array.from(source.matchAll(/<script\b[^>]*>/gi), ([tag]) => tag).flatMap((tag) => {
    const src = attributeOf(tag, "src")
    const key = attributeOf(tag, "data-key") ?? /[?&]key=([^&#]*)/.exec(src ?? "")?.[1]
    return src !== undefined && /\bwidget\.js\b/.test(src) ? [{ src, key }] : []
  })

/** The Content-Security-Policies in headers, in `meta` elements, or in a text that is one itself. */
export const policiesIn = (source: string): ReadonlyArray<string> => {
  const headers = Array.from(source.matchAll(/^[ \t]*content-security-policy:(.*)$/gim), ([, policy = ""]) => policy)
  const metas = Array.from(source.matchAll(/<meta\b[^>]*>/gi), ([tag]) => tag)
    .filter((tag) => attributeOf(tag, "http-equiv")?.toLowerCase() === "content-security-policy")
    .map((tag) => attributeOf(tag, "content") ?? "")
  const found = [...headers, ...metas]
  const isBare = found.length === 0 && /^\s*(?:default|script|frame|child)-src\s/i.test(source)
  return (isBare ? [source] : found).map((policy) => policy.trim()).filter(Boolean)
}

const directivesOf = (policy: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    policy
      .split(";")
      .map((directive) => directive.trim().split(/\s+/))
      .flatMap(([name = "", ...sources]) => (name === "" ? [] : [[name.toLowerCase(), sources] as const])),
  )

const matches = (source: string, server: URL): boolean => {
  const text = source.toLowerCase()
  if (text === "*") return true
  if (/^[a-z]+:$/.test(text)) return text === server.protocol
  const [, scheme, wild, host, port] = /^(?:([a-z]+):\/\/)?(\*\.)?([^/:*]+)(?::(\d+|\*))?(?:\/.*)?$/.exec(text) ?? []
  if (host === undefined || host.startsWith("'")) return false
  if (scheme !== undefined && `${scheme}:` !== server.protocol && !(scheme === "http" && server.protocol === "https:"))
    return false
  const own = server.hostname.toLowerCase()
  if (wild === undefined ? own !== host : !own.endsWith(`.${host}`)) return false
  const usual = server.protocol === "https:" ? "443" : "80"
  return port === "*" || (port ?? usual) === (server.port || usual)
}

/** The directives of a policy that keep the widget of a server from a page, such as `frame-src`. */
export const blockedBy = (policy: string, server: string): ReadonlyArray<string> => {
  const directives = directivesOf(policy)
  const address = new URL(server)
  const sourcesFor = (...names: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
    names.map((name) => directives.get(name)).find((sources) => sources !== undefined)
  const scripts = sourcesFor("script-src-elem", "script-src", "default-src")
  const frames = sourcesFor("frame-src", "child-src", "default-src")
  const isOpen = (sources: ReadonlyArray<string> | undefined): boolean =>
    sources === undefined || sources.some((source) => matches(source, address))
  // With 'strict-dynamic', hosts do not count: the script needs the page's nonce.
  const isDynamic = scripts?.some((source) => source.toLowerCase() === "'strict-dynamic'") === true
  return [...(isDynamic || isOpen(scripts) ? [] : ["script-src"]), ...(isOpen(frames) ? [] : ["frame-src"])]
}

const PUBLIC = good("The chatbot is public: any page can embed it.")

const keyFinding = (key: string, { chatbotId, isPublic, keys, origin }: PageQuestion): Finding => {
  if (key === chatbotId)
    return isPublic ? PUBLIC : bad("The page uses the chatbot's ID as the key, which works only for a public chatbot.")
  const known = keys.find(({ public_key }) => public_key === key)
  if (known === undefined) return bad(`The key ${key} does not belong to this chatbot.`)
  const state = stateOf(known)
  if (state !== "active") return bad(`The key ${key} is ${state}. Use an active key instead.`)
  if (allows(known.allowed_origins, origin)) return good(`The key allows ${origin}.`)
  const text = `The key does not allow ${origin}, so browsers block the widget there.`
  return { ...bad(text), missingOrigin: origin }
}

const withoutKey = ({ isPublic, keys, origin }: PageQuestion): Finding => {
  const live = keys.filter((key) => stateOf(key) === "active")
  if (live.some(({ allowed_origins }) => allows(allowed_origins, origin))) return good(`A key allows ${origin}.`)
  if (isPublic) return PUBLIC
  const text = live.length === 0 ? "There is no key for this website yet." : `No key allows ${origin}.`
  return { ...bad(text), missingOrigin: origin }
}

const scriptFindings = (scripts: ReadonlyArray<Script>, question: PageQuestion): ReadonlyArray<Finding> => {
  const [script] = scripts
  if (script === undefined) return [bad("The HTML does not load widget.js. Ignore this if a tag manager adds it.")]
  const expected = `${question.server}/widget.js`
  return [
    ...(scripts.length > 1
      ? [warn(`The page includes the script ${scripts.length} times. Include it only once.`)]
      : []),
    URL.parse(script.src, `${question.origin}/`)?.href.split("?")[0] === expected
      ? good("The script is loaded from this server.")
      : bad(`The script is loaded from ${script.src} instead of ${expected}.`),
    script.key === undefined ? bad("The script has no key.") : keyFinding(script.key, question),
  ]
}

const policyFinding = (policies: ReadonlyArray<string>, server: string): Finding => {
  const blocked = Array.from(new Set(policies.flatMap((policy) => blockedBy(policy, server))))
  if (blocked.length === 0) return good("The page's Content-Security-Policy allows the widget.")
  const { origin } = new URL(server)
  return bad(`The page's Content-Security-Policy blocks the widget: add ${origin} to ${blocked.join(" and ")}.`)
}

const isLocal = (server: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(server).hostname)

/** Says what is right about a page that embeds the widget, and what is not. */
export const findingsOf = (question: PageQuestion): ReadonlyArray<Finding> => {
  const { isActive, origin, server, source } = question
  const scripts = scriptsIn(source)
  const policies = policiesIn(source)
  const isHtml = scripts.length > 0 || /<(?:html|head|body|script)\b/i.test(source)
  const isMixed = origin.startsWith("https:") && server.startsWith("http:") && !isLocal(server)
  const mixed = `The page uses HTTPS and this server HTTP, which browsers block. Serve ${server} over HTTPS.`
  return [
    ...(isHtml ? scriptFindings(scripts, question) : [withoutKey(question)]),
    ...(policies.length > 0 ? [policyFinding(policies, server)] : []),
    ...(isMixed ? [bad(mixed)] : []),
    ...(isActive ? [] : [warn("The chatbot is paused: the widget appears but does not answer.")]),
  ]
}
