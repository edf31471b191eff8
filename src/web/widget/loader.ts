/** The loader: see docs/widget.md. */
const script = document.currentScript

if (script instanceof HTMLScriptElement) document.documentElement.dataset["parley"] = script.dataset["key"] ?? ""
