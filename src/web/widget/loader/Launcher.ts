import type { LauncherLook } from "../../../domain/widget/Widget.ts"
import { accent } from "../../shared/Contrast.ts"

/*
 * Drawings of the loader: a launcher, and a panel for the frame, in a shadow root so that neither the page's styles nor
 * ours reach the other. The style sheet is constructed, which no `style-src` of the page forbids.
 */

/** Paths of icons of Lucide (ISC licence): a speech bubble, and a cross. */
const bubble =
  "M2.992 16.342a2 2 0 0 1 .094 1.167l-1.065 3.29a1 1 0 0 0 1.236 1.168l3.413-.998a2 2 0 0 1 1.099.092 10 10 0 1 0-4.777-4.719"
const cross = "M18 6 6 18M6 6l12 12"

/** Media query that holds when the panel covers the whole screen. */
export const fullScreen = "(max-width:480px),(max-height:480px)"

const css = `
:host{all:initial!important;--edge:max(20px,env(safe-area-inset-bottom))}
:host(.popup){position:fixed!important;z-index:2147483000!important}
:host(.inline){display:block!important;height:100%!important}
iframe{display:block;width:100%;height:100%;border:0}
.inline iframe{min-height:400px}
button{all:unset;box-sizing:border-box;cursor:pointer;display:grid;place-items:center;border-radius:40px}
button:focus-visible{outline:3px solid #fff;box-shadow:0 0 0 6px #111}
svg{grid-area:1/1;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.launcher,.panel{position:fixed;right:20px;bottom:var(--edge)}
.left>*{left:20px;right:auto}
.launcher{grid-auto-flow:column;gap:8px;min-width:var(--size);height:var(--size);padding:0 calc(var(--size)/2 - 14px);border:1px solid #fff3;font:600 15px system-ui,sans-serif;box-shadow:0 4px 16px #0004}
.launcher[aria-expanded=true] svg:first-child,.launcher[aria-expanded=false] svg+svg{visibility:hidden}
.unread{position:absolute;top:-4px;right:-4px;min-width:20px;padding:0 5px;box-sizing:border-box;border-radius:10px;background:#c01c28;color:#fff;font:600 12px/20px system-ui,sans-serif;text-align:center}
.panel{bottom:calc(var(--edge) + var(--size) + 12px);width:min(400px,100vw - 40px);height:min(680px,100dvh - var(--size) - 52px);overflow:hidden;border-radius:16px;background:Canvas;color-scheme:light dark;box-shadow:0 0 0 1px #8884,0 12px 48px #0004}
.close{position:absolute;top:8px;right:8px;width:40px;height:40px;color:CanvasText;display:none}
[hidden]{display:none!important}
@media ${fullScreen}{.popup .panel{inset:0;width:100%;height:100dvh;border-radius:0;box-shadow:none}.close{display:grid}}
@media (prefers-reduced-motion:no-preference){.panel{animation:open .18s ease-out}@keyframes open{from{opacity:0;translate:0 12px}}.launcher{transition:scale .15s}.launcher:hover{scale:1.05}}
@media (forced-colors:active){.launcher,.panel{border:2px solid}}
@media print{:host(.popup){display:none!important}}
`

export interface Look extends Omit<LauncherLook, "isLeft"> {
  readonly isInline: boolean
  readonly isLeft: boolean | undefined
  readonly theme: string | undefined
}

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Readonly<Record<string, string | boolean>>,
): HTMLElementTagNameMap[K] => Object.assign(document.createElement(name), properties)

const icon = (shape: string): SVGElement => {
  const make = (name: string, attributes: Readonly<Record<string, string>>) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name)
    for (const attribute of Object.keys(attributes)) node.setAttribute(attribute, attributes[attribute] ?? "")
    return node as SVGElement
  }
  const svg = make("svg", { width: "26", height: "26", viewBox: "0 0 24 24", "aria-hidden": "true" })
  svg.append(make("path", { d: shape }))
  return svg
}

/** Black or white, whichever is read better on a colour as computed styles write it. */
const readable = (background: string): string => {
  // Near enough to the exact curve: in the middle both are read well.
  const [r = 0, g = 0, b = 0] = (background.match(/[\d.]+/g) ?? []).map((part) => (Number(part) / 255) ** 2.2)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff"
}

/** Draws the launcher and an empty panel, which nothing in the page makes room for. */
export const drawLauncher = ({
  color,
  icon: shape = bubble,
  isInline,
  isLeft,
  size = 56,
  text = "",
  label = text || "Chat",
  theme,
}: Look) => {
  const kind = isInline ? "inline" : "popup"
  const host = element("div", { className: kind })
  const root = host.attachShadow({ mode: "open" })
  const space = element("div", { className: `${kind}${isLeft ? " left" : ""}` })
  const panel = element("div", { className: isInline ? "" : "panel", id: "panel", hidden: !isInline })
  const controls = { type: "button", ariaLabel: label, ariaExpanded: "false" }
  const button = element("button", { ...controls, className: "launcher", ariaHasPopup: "dialog" })
  const closing = element("button", { ...controls, className: "close", ariaExpanded: "true" })
  const unread = element("span", { className: "unread", hidden: true, ariaHidden: "true" })
  button.append(icon(shape), icon(cross), text, unread)
  space.style.setProperty("--size", `${size}px`)
  button.setAttribute("aria-controls", panel.id)
  closing.append(icon(cross))
  if (!isInline) {
    panel.role = "dialog"
    panel.ariaLabel = label
    panel.append(closing)
    space.append(button)
  }
  if (theme !== undefined) panel.style.colorScheme = theme
  space.append(panel)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  root.append(space)
  return {
    /** The element in the page. */
    host,
    panel,
    button,
    /** Shown until the frame has a close button of its own. */
    close: closing,
    label,
    showUnread: (count: number): void => {
      unread.hidden = count === 0
      unread.textContent = count > 9 ? "9+" : String(count)
      button.ariaLabel = count === 0 ? label : `${label} (${count})`
    },
    /** Colours the launcher, once it stands in the page. */
    paint: (): void => {
      button.style.backgroundColor = accent
      if (color) button.style.backgroundColor = color
      button.style.color = readable(getComputedStyle(button).backgroundColor)
    },
  }
}
