const SENTENCE =
  "The tide gauge writes its readings every ten minutes, and keeps them for a year, so that anybody can ask. "

const site = (
  title: string,
  content: string,
) => `<!doctype html><html lang="en"><head><title>${title}</title></head><body>
<header class="site-header"><a href="/">Acme</a><nav><ul><li><a href="/a">Products</a><li><a href="/b">Pricing</a><li><a href="/c">About us</a></ul></nav></header>
${content}
<footer class="footer"><p>Copyright 2026 Acme Inc. All rights reserved.</p><ul><li><a href="/imprint">Imprint</a></ul></footer>
<div class="cookie-banner" id="cookie-consent"><p>We use cookies to improve your experience, and to show you more.</p><button>Accept</button></div></body></html>`

/**
 * Pages of the kinds that sites of companies and projects have, in the markup that their generators write. `[[` and `]]`
 * stand around what is content. The heading that is the title is none.
 */
const pages: Readonly<Record<string, string>> = {
  guide: `<div class="main-wrapper"><aside class="sidebar-container"><ul class="menu__list"><li><a href="/x">Intro</a><li><a href="/y">Install</a></ul></aside><main><nav class="breadcrumbs"><ul><li>Home</ul></nav><article><h1>Guide</h1>[[<p>Install it with npm:</p><div class="language-bash"><pre><code><span class="token-line">npm install gauge<br></span><span class="token comment"># done<br></span></code></pre>]]<button>Copy</button></div>[[<h2>Requirements</h2><ul><li>Node 20</li><li>2 GB memory</li></ul><div class="admonition"><p>Windows needs WSL.</p></div><table><tr><th>Option<th>Default<tr><td>port<td>8080</table>]]<footer><a href="https://example.org">Edit this page</a></footer></article><nav class="pagination-nav"><a href="/next">Next: Configuration</a></nav><div class="tableOfContents"><ul><li><a href="#r">Requirements</a></ul></div></main></div>`,
  reference: `<div class="document"><div class="body" role="main"><h1>Reference<a class="headerlink" href="#a">¶</a></h1>[[<dl><dt><code>gauge.read(port)</code></dt><dd><p>Reads the gauge.</p></dd></dl>]]<div class="highlight"><table class="highlighttable"><tr><td class="linenos"><pre>1</pre></td><td>[[<pre>import gauge</pre>]]</td></tr></table></div></div><div class="sphinxsidebar" role="navigation"><h3>Table of Contents</h3><ul><li><a href="#a">api</a></ul></div></div>`,
  contact: `<div id="content"><h1>Contact</h1>[[<div class="contact-info"><p>Acme Inc.<br>12 Harbour Road<br>Bristol</p><p>Phone: <a href="tel:+44">+44 117 0000</a></p></div><h2>Opening hours</h2><table><tr><td>Mon–Fri<td>9–17<tr><td>Sat<td>10–14</table>]]</div>`,
  faq: `<main><h1>FAQ</h1>[[<div class="accordion"><details><summary>How do I return an item?</summary><div><p>Send it back within 30 days.</p></div></details></div><div class="faq-item"><h3>Can I pay later?</h3><div class="accordion-body" style="display:none">By invoice.</div></div><div class="faq-item"><h3>Do you ship abroad?</h3><p>Yes, to <a href="/eu">all of the EU</a>.</p></div>]]</main>`,
  offer: `[[<section class="hero"><p>Measure the tide without a boat.</p></section><section class="features"><div class="card"><h3>Precise</h3><p>Within two millimetres.</p></div><div class="card"><h3>Quiet</h3><p>No moving parts.</p></div></section><section><h2>Prices</h2><div class="price"><h3>Basic</h3><p>99 €</p><ul><li>One gauge<li>Mail support</ul></div></section>]]`,
  product: `<div class="product"><h1>Product</h1>[[<p class="price">199 €</p><p>A gauge for rough seas.</p><table><tr><th>Range<td>0–12 m<tr><th>Weight<td>3 kg</table><div class="tab"><h2>Description</h2><p>${SENTENCE}</p></div><div class="tab"><h2>Shipping</h2><p>In two days.</p></div>]]</div><section class="related products"><h2>Related products</h2><ul><li><a href="/p">Gauge Mini</a></ul></section>`,
  encyclopedia: `<div id="content" role="main"><h1>Encyclopedia</h1><div class="noprint">From Encyclopedia</div>[[<table class="infobox"><tr><th>Invented<td>1831</table><p>${SENTENCE}]]<sup class="reference"><a href="#c">[1]</a></sup></p><h2>[[History]]<span class="mw-editsection">[<a href="/e">edit</a>]</span></h2>[[<p>${SENTENCE.repeat(3)}</p>]]<div class="reflist"><ol><li>Smith, J. (1990). Tides.</ol></div><div class="navbox"><table><tr><td><a href="/q">Oceanography</a></table></div></div>`,
  forum: `<div class="topic"><h1>Forum</h1>${["My gauge does not start, and the lamp blinks.", "Hold the button for ten seconds.", "Thanks, that was it."].map((post) => `<article class="post"><div class="topic-body">[[<p>${post}</p>]]<nav class="post-controls"><button>Like</button></nav></div></article>`).join("")}</div><div class="suggested-topics"><h3>Suggested topics</h3><a href="/t">Another topic</a></div>`,
  answers: `<div class="question"><h1>Answers</h1>[[<div class="post-body"><p>I want to read it from Python.</p><pre><code>import gauge</code></pre></div>]]</div><div class="answer">[[<div class="post-body"><p>Use <code>gauge.read(1)</code>.</p></div>]]<div class="comments"><ul><li>Works, thanks!</ul></div></div><div id="sidebar"><h4>Related</h4><a href="/z">Other question</a></div>`,
  blog: `<div class="post"><h1 class="entry-title">Blog</h1>[[<div class="entry-content"><p>${SENTENCE.repeat(2)}</p><h2>Who needs them</h2><p>${SENTENCE.repeat(2)}</p><figure><figcaption>The gauge of Brest</figcaption></figure></div>]]<div class="share-buttons"><a href="/fb">Share on F</a></div><div class="related-posts"><h3>Related posts</h3><ul><li><a href="/1">One</a></ul></div></div><div id="comments"><h2>3 comments</h2><p>${SENTENCE}</p></div>`,
  accordion: `<main><h1>Accordion</h1><div class="accordion">[[<h2>]]<button aria-expanded="false" aria-controls="a1">[[May I pay later?]]</button>[[</h2>]]<div id="a1" hidden>[[<p>By invoice, within 30 days.</p>]]</div></div><button aria-expanded="false" aria-haspopup="true">Share it</button><div role="menu" hidden><a href="/s">By mail</a></div></main>`,
  index: `<main><h1>Index</h1><div>[[<p>${SENTENCE.repeat(3)}</p>]]</div><ul>[[${["Bath", "Brest", "Ostend", "Tromso", "Vigo"].map((port) => `<li><a href="/${port}">The gauge of ${port} and its readings of this year</a></li>`).join("")}]]</ul></main>`,
  downloads: `<main><h1>Downloads</h1>[[<ul><li><a href="/1.pdf">Manual of the Pro 300</a><li><a href="/2.pdf">Manual of the Mini</a></ul>]]</main>`,
  parking: `<div class="content"><h1>Parking</h1>[[<p>There are 20 places behind the house.</p>]]</div>`,
  board: `<div class="wrap"><h1>Board</h1>[[<div class="x1"><div>Dr. Jane Roe</div><div>Chair since 2019</div></div><div class="x1"><div>Max Mustermann</div><div>Treasurer</div></div>]]</div>`,
  form: `<form id="aspnetForm"><div class="menu"><a href="/">Home</a></div><div id="main"><h1>Form</h1>[[<p>${SENTENCE.repeat(3)}</p><p>Members pay 20 euros.</p>]]</div></form>`,
}

/** The pages, each with the HTML of its content. */
export const madePages: ReadonlyArray<{ readonly name: string; readonly html: string; readonly expected: string }> =
  Object.entries(pages).map(([name, content]) => ({
    name,
    html: site(
      name.replace(/^./, (letter) => letter.toUpperCase()),
      content.replaceAll(/\[\[|\]\]/g, ""),
    ),
    expected: Array.from(content.matchAll(/\[\[([\s\S]*?)\]\]/g), ([, html]) => html).join("\n"),
  }))
