import type { VNode } from "preact"
import type { Widget } from "../model/Widget.ts"
import { Announcement } from "./Announcement.tsx"
import { Composer } from "./Composer.tsx"
import { WidgetContext } from "./Context.ts"
import { ConversationsDialog } from "./ConversationsDialog.tsx"
import { Header } from "./Header.tsx"
import { Messages } from "./Messages.tsx"
import { SourceDialog } from "./SourceDialog.tsx"

export const App = ({ widget }: { readonly widget: Widget }): VNode => (
  <WidgetContext.Provider value={widget}>
    <div class="widget" data-mode={widget.host.mode}>
      <Header />
      <Messages />
      <Composer />
      <ConversationsDialog />
      <SourceDialog />
      <Announcement />
    </div>
  </WidgetContext.Provider>
)
