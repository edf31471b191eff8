import "./console.css"
import { render } from "preact"
import { startShortcuts } from "./parts/Shortcuts.ts"
import { startRouter } from "./Router.ts"
import { startSession } from "./server/Session.ts"
import { Shell } from "./Shell.tsx"
import { startTheme } from "./Theme.ts"

startTheme()
// It reads the one-time link before the router writes the address anew.
void startSession()
startRouter()
startShortcuts()
render(<Shell />, document.body)
