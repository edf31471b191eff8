import "./main.css"
import { render } from "preact"

render(<h1>Parley</h1>, document.body)
