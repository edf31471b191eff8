import { frameAncestors } from "../../domain/widget/PublishableKey.ts"
import type { WidgetConfig } from "../../domain/widget/Widget.ts"
import type { Placement } from "../../services/widget/Placements.ts"
import { ICON } from "./Manifest.ts"
import { escape, head, policy } from "./Html.ts"
import type { Build } from "./WebFiles.ts"

/*
 * The documents that browsers open, as HTML without inline scripts or styles, and their headers.
 */

/** A build as far as documents name it. */
type Hashed = Pick<Build, "hash">

/** The icon of a document, without which browsers ask for one at an address of their own. */
const icon = (build: Hashed, up: string): string =>
  `<link rel="icon" type="image/svg+xml" href="${up}assets/${build.hash}/${ICON}">`

/** The path from a document at this depth to the root: a proxy may serve Parley below a path of its own. */
export const upFrom = (path: string): string => "../".repeat(path.split("/").length - 2) || "./"

export const noindex = '<meta name="robots" content="noindex">'

/** The style sheet and the script of a page. */
const loads = (build: Hashed, page: "frame" | "console" | "docs", up: string): ReadonlyArray<string> => [
  `<link rel="stylesheet" href="${up}assets/${build.hash}/${page}.css">`,
  `<script type="module" src="${up}assets/${build.hash}/${page}.js"></script>`,
]

/** The first page of the server: what it is, and where a person goes on. */
export const homeDocument = (build: Build, path: string): string => {
  const up = upFrom(path)
  const link = (to: string, title: string, text: string) =>
    `<li><a href="${up}${to}"><strong>${title}</strong><span>${text}</span></a></li>`
  return `${head("Parley", [icon(build, up), ...loads(build, "docs", up)])}
<body class="home">
<main>
<h1><img src="${up}assets/${build.hash}/${ICON}" alt="" width="40" height="40"> Parley</h1>
<p>Chatbots that answer from your own documents.</p>
<ul>
${link("console", "Console", "Create chatbots, add documents and put them on your website.")}
${link("docs/readme", "Documentation", "What Parley does and how to run it.")}
${link("docs", "API reference", "Every operation of the HTTP API with examples.")}
</ul>
<p>To sign in for the first time, open the link that the server printed when it started, or the one in <code>first-sign-in</code> in its data directory.</p>
</main>
</body>
</html>
`
}

/** The beginning of a page of the documentation, as far as its body. */
export const docsHead = (build: Hashed, path: string, title: string): string =>
  head(title, [icon(build, upFrom(path)), ...loads(build, "docs", upFrom(path))])

/** The place of the widget: in a frame of a page that embeds it, in one of the console, or as a page of its own. */
type WidgetMode = "frame" | "preview" | "page"

/** The document of the widget. In a preview, which has no configuration, the console says what it tries. */
export const widgetDocument = (
  build: Build,
  config: WidgetConfig | undefined,
  path: string,
  mode: WidgetMode,
): string =>
  `${head(config?.header || config?.name || "Parley", [
    mode === "page" ? icon(build, upFrom(path)) : noindex,
    ...(config === undefined ? [] : [`<meta name="parley-config" content="${escape(JSON.stringify(config))}">`]),
    `<meta name="parley-mode" content="${mode}">`,
    ...loads(build, "frame", upFrom(path)),
  ])}
<body></body>
</html>
`

/** The document of the console, the same for every path of it. */
export const consoleDocument = (build: Build, path: string): string => `${head("Parley", [
  noindex,
  icon(build, upFrom(path)),
  `<meta name="parley-root" content="${upFrom(path)}">`,
  ...loads(build, "console", upFrom(path)),
])}
<body><noscript>The Parley console requires JavaScript.</noscript></body>
</html>
`

/**
 * The features of browsers that tell or cost a person something. Our documents use none, but that the console asks for
 * passkeys, and a call for the microphone.
 */
const PERMISSIONS =
  "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=()"

const allowing = (...features: ReadonlyArray<string>): string =>
  features.reduce((all, feature) => all.replace(`${feature}=()`, `${feature}=(self)`), PERMISSIONS)

/** The policy of a document that shows the widget: it may ask for the microphone where the chatbot has a voice agent. */
const permissions = ({ config }: Placement) => ({
  "permissions-policy": allowing(...(config.voice === null ? [] : ["microphone"])),
})

/**
 * The origins of the images of a chatbot and of people, as sources of a Content-Security-Policy. The host of an address may hold
 * characters that mean something else there, such as `;` and `*`: an image from such a host is not shown.
 */
const imagesOf = ({ avatars, config: { avatar, logo, voice } }: Placement): ReadonlyArray<string> =>
  [avatar, logo, voice?.avatar ?? "", ...avatars]
    .map((address) => URL.parse(address)?.origin ?? "")
    .filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin))

interface Policy {
  /** Sources of images beside the server itself. */
  readonly images?: ReadonlyArray<string>
  /** Whether the document shows another one of the server in a frame. */
  readonly frames?: boolean
  readonly ancestors: string
}

const headers = ({ ancestors, frames = false, images = [] }: Policy) => ({
  "cache-control": "no-cache",
  "content-security-policy": policy(
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${Array.from(new Set(["'self'", ...images])).join(" ")}`,
    "connect-src 'self'",
    ...(frames ? ["frame-src 'self'"] : []),
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ),
  "permissions-policy": PERMISSIONS,
  "referrer-policy": "no-referrer",
})

/** The headers of the widget in a frame, which pages of these origins may embed. */
export const frameHeaders = (placement: Placement) => ({
  ...headers({ images: imagesOf(placement), ancestors: frameAncestors(placement.allowedOrigins) }),
  ...permissions(placement),
  // Pages that isolate themselves embed only what agrees to it. Images of others then come without their cookies.
  "cross-origin-embedder-policy": "credentialless",
  "cross-origin-resource-policy": "cross-origin",
})

/**
 * The headers of the widget in a frame of the console, where an operator tries how it looks: with images of any address,
 * since they are being typed.
 */
export const previewHeaders = {
  ...headers({ images: ["data:", "https:", "http:"], ancestors: frameAncestors([]) }),
  "cross-origin-resource-policy": "same-origin",
}

/** The headers of a page that no other page may embed or keep a handle of. */
const ownPage = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
}

/** The headers of a chatbot as a page of its own. */
export const chatHeaders = (placement: Placement) => ({
  ...headers({ images: imagesOf(placement), ancestors: "'none'" }),
  ...ownPage,
  ...permissions(placement),
})

/** The headers of a page of the documentation. */
export const docsHeaders = {
  ...headers({ ancestors: "'none'" }),
  ...ownPage,
}

/** The headers of the console, which shows the widget in a frame. */
export const consoleHeaders = {
  ...headers({ frames: true, ancestors: "'none'" }),
  ...ownPage,
  "permissions-policy": allowing("microphone", "publickey-credentials-get"),
}
