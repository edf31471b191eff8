import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { join } from "node:path"
import { tmpdir } from "node:os"

/*
 * An S3 server in memory, which verifies signatures, and misbehaves when a test wants it to. It shares no code with the
 * client, so that a mistake in one is no mistake in both.
 */

interface Stored {
  readonly bytes: Uint8Array
  readonly meta: Readonly<Record<string, string>>
  readonly etag: string
  writtenAt: Date
}

/** How the server treats a request: it may answer in its place. */
export type Misbehaviour = (
  request: {
    readonly method: string
    readonly key: string
    readonly query: URLSearchParams
    readonly headers: Headers
  },
  proper: () => Promise<Response>,
) => Response | Promise<Response> | undefined

export interface FakeS3 {
  readonly url: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The region of the bucket. */
  region: string
  /** The token that requests have to carry. */
  sessionToken: string | undefined
  /** The difference of the server's clock from that of the machine, in milliseconds. */
  clockMillis: number
  readonly objects: Map<string, Stored>
  /** Every request, as `GET ?list-type=2`. */
  readonly requests: Array<string>
  /** The most keys of a page of a listing. */
  pageSize: number
  misbehave: Misbehaviour | undefined
  /** Stops listening, and listens again on the same port. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

/** A header of an answer that is cut off, or stalls, after so many bytes of its body, as `100 cut` or `100 stall`. */
const CUT = "x-fake-cut"

/** Lets an answer end early. */
export const cutOff = (response: Response, bytes: number, end: "cut" | "stall"): Response => {
  response.headers.set(CUT, `${bytes} ${end}`)
  return response
}

const SKEW_MAX_MILLIS = 15 * 60_000
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex")
const mac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest()

/** Percent-encodes all bytes but those that RFC 3986 does not reserve. */
const percent = (text: string) =>
  Array.from(Buffer.from(text), (byte) =>
    /[\w.~-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("")

const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** An answer that says an error, as S3 does. */
export const s3Error = (status: number, code: string, more = "", headers: Record<string, string> = {}): Response =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message>${more}</Error>`, {
    status,
    headers: { "content-type": "application/xml", ...headers },
  })

export const startFakeS3 = async (
  options: { readonly bucket?: string; readonly style?: "path" | "virtual" } = {},
): Promise<FakeS3> => {
  const { bucket = "parley", style = "path" } = options
  let server: Server | undefined
  let port = 0

  const now = () => new Date(Date.now() + fake.clockMillis)

  /** The code of what is wrong with a signature; undefined when it is right. */
  const fault = (request: Request, url: URL, body: Uint8Array): readonly [number, string, string?] | undefined => {
    const parsed =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
        request.headers.get("authorization") ?? "",
      )
    if (parsed === null) return [403, "AccessDenied"]
    const [, id, day = "", region = "", names = "", signature] = parsed
    if (id !== fake.accessKeyId) return [403, "InvalidAccessKeyId"]
    if (region !== fake.region) return [400, "AuthorizationHeaderMalformed", `<Region>${fake.region}</Region>`]
    const time = request.headers.get("x-amz-date") ?? ""
    const sent = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
    if (!(Math.abs(sent - now().getTime()) < SKEW_MAX_MILLIS)) return [403, "RequestTimeTooSkewed"]
    const signedNames = names.split(";")
    const unsigned = Array.from(request.headers.keys()).filter(
      (name) => (name.startsWith("x-amz-") || name === "content-type") && !signedNames.includes(name),
    )
    if (unsigned.length > 0 || !signedNames.includes("host")) return [403, "AccessDenied"]
    const lines = signedNames.map((name) => `${name}:${(request.headers.get(name) ?? "").trim().replace(/ +/g, " ")}\n`)
    const parameters = Array.from(url.searchParams, ([name, value]) => `${percent(name)}=${percent(value)}`).toSorted()
    const path = decodeURIComponent(url.pathname).split("/").map(percent).join("/")
    const payload = request.headers.get("x-amz-content-sha256") ?? ""
    const canonical = `${request.method}\n${path}\n${parameters.join("&")}\n${lines.join("")}\n${names}\n${payload}`
    const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`
    const key = mac(mac(mac(mac(`AWS4${fake.secretAccessKey}`, day), region), "s3"), "aws4_request")
    if (mac(key, text).toString("hex") !== signature) return [403, "SignatureDoesNotMatch"]
    if (fake.sessionToken !== undefined && request.headers.get("x-amz-security-token") !== fake.sessionToken) {
      return [400, "InvalidToken"]
    }
    return payload === sha256(body) ? undefined : [400, "XAmzContentSHA256Mismatch"]
  }

  const metaOf = (headers: Headers) =>
    Object.fromEntries(Array.from(headers).filter(([name]) => name.startsWith("x-amz-meta-")))

  const store = (key: string, bytes: Uint8Array, meta: Stored["meta"]) => {
    const etag = `"${md5(bytes)}"`
    fake.objects.set(key, { bytes, meta, etag, writtenAt: now() })
    return new Response(null, { headers: { etag } })
  }

  const reply = (text: string) =>
    new Response(`<?xml version="1.0"?>${text}`, { headers: { "content-type": "application/xml" } })

  const ofBucket = (method: string, query: URLSearchParams): Response => {
    if (method !== "GET" || query.get("list-type") !== "2") return s3Error(501, "NotImplemented")
    const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""]
    const after = query.get("continuation-token") ?? ""
    const keys = Array.from(fake.objects.keys())
      .filter((key) => key.startsWith(prefix) && key > after)
      .filter((key) => delimiter === "" || !key.slice(prefix.length).includes(delimiter))
      .toSorted()
    const page = keys.slice(0, Math.min(fake.pageSize, Number(query.get("max-keys") ?? 1_000)))
    const contents = page.map((key) => {
      const object = fake.objects.get(key)
      return `<Contents><Key>${xml(key)}</Key><LastModified>${object?.writtenAt.toISOString()}</LastModified><Size>${object?.bytes.length}</Size></Contents>`
    })
    const more =
      page.length < keys.length ? `<NextContinuationToken>${xml(page.at(-1) ?? "")}</NextContinuationToken>` : ""
    return reply(`<ListBucketResult>${more}${contents.join("")}</ListBucketResult>`)
  }

  const ofObject = (method: string, key: string, headers: Headers, body: Uint8Array): Response => {
    if (method === "PUT") return store(key, body, metaOf(headers))
    const object = fake.objects.get(key)
    if (method === "DELETE") {
      fake.objects.delete(key)
      return new Response(null, { status: 204 })
    }
    if (object === undefined) return method === "HEAD" ? new Response(null, { status: 404 }) : s3Error(404, "NoSuchKey")
    const about = { ...object.meta, etag: object.etag, "last-modified": object.writtenAt.toUTCString() }
    if (method === "HEAD") {
      return new Response(null, { headers: { ...about, "content-length": String(object.bytes.length) } })
    }
    if (headers.has("if-match") && headers.get("if-match") !== object.etag) return s3Error(412, "PreconditionFailed")
    const [, start] = /^bytes=(\d+)-$/.exec(headers.get("range") ?? "") ?? []
    return start === undefined
      ? new Response(object.bytes, { headers: about })
      : new Response(object.bytes.slice(Number(start)), {
          status: 206,
          headers: { ...about, "content-range": `bytes ${start}-${object.bytes.length - 1}/${object.bytes.length}` },
        })
  }

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const path = decodeURIComponent(url.pathname).slice(1)
    const [named, ...rest] = path.split("/")
    const key = style === "path" ? rest.join("/") : path
    const found = style === "path" ? named : (request.headers.get("host") ?? "").split(".")[0]
    fake.requests.push(`${request.method} ${key}${url.search}`)
    const proper = async () => {
      const body = await request.bytes()
      const wrong = fault(request, url, body)
      if (wrong !== undefined) return s3Error(...wrong)
      if (found !== fake.bucket) return s3Error(404, "NoSuchBucket")
      return key === ""
        ? ofBucket(request.method, url.searchParams)
        : ofObject(request.method, key, request.headers, body)
    }
    const odd = fake.misbehave?.(
      { method: request.method, key, query: url.searchParams, headers: request.headers },
      proper,
    )
    const response = await (odd ?? proper())
    response.headers.set("date", now().toUTCString())
    return response
  }

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const pieces: Array<Uint8Array> = []
    for await (const piece of incoming) pieces.push(piece)
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
    const { method = "GET", url } = incoming
    const body = pieces.length > 0 && { body: new Uint8Array(Buffer.concat(pieces)) }
    const response = await answer(new Request(`http://${incoming.headers.host}${url}`, { method, headers, ...body }))
    const bytes = await response.bytes()
    const [, cutAt, end] = /^(\d+) (cut|stall)$/.exec(response.headers.get(CUT) ?? "") ?? []
    response.headers.delete(CUT)
    if (!response.headers.has("content-length")) response.headers.set("content-length", String(bytes.length))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (cutAt === undefined) return void outgoing.end(bytes)
    outgoing.write(bytes.subarray(0, Number(cutAt)), () => {
      if (end === "cut") setTimeout(() => outgoing.destroy(), 5)
    })
  }

  const fake: FakeS3 = {
    get url() {
      return `http://localhost:${port}`
    },
    bucket,
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    sessionToken: undefined,
    clockMillis: 0,
    objects: new Map(),
    requests: [],
    pageSize: 1_000,
    misbehave: undefined,
    stop: () =>
      new Promise((resolve) => {
        server?.close(() => resolve())
        server?.closeAllConnections()
        server = undefined
      }),
    start: () =>
      new Promise((resolve) => {
        server = createServer((request, response) => void respond(request, response))
        server.listen(port, "127.0.0.1", () => {
          const address = server?.address()
          port = address !== null && typeof address === "object" ? address.port : port
          resolve()
        })
      }),
  }
  await fake.start()
  return fake
}

/** The settings of a store on this server, with temporary files in a directory of their own. */
export const settingsOf = (fake: FakeS3) => ({
  endpoint: fake.url.replace("localhost", "127.0.0.1"),
  bucket: fake.bucket,
  directory: join(tmpdir(), `parley-s3-${crypto.randomUUID()}`),
})
