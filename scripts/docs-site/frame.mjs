// What every page of the docs site has around its text.

export const escape = (text) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Anchors as GitHub makes them, so that the same link holds in the repository and on the site. */
export const slug = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const menuOf = (nav, here, up) =>
  nav
    .map(([title, entries]) => {
      const items = entries.map(({ title: name, href }) => {
        const current = href === here ? ' aria-current="page"' : '';
        return `<li><a href="${up}${href}"${current}>${escape(name)}</a></li>`;
      });
      return `<h2>${escape(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
    })
    .join('\n');

export const frame = ({ title, nav, here, up, body }) => {
  const diagrams = body.includes('class="mermaid"')
    ? `<script src="${up}mermaid.js"></script>\n<script src="${up}diagrams.js"></script>\n`
    : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Fairlead</title>
<link rel="stylesheet" href="${up}site.css">
</head>
<body>
<nav aria-label="Pages">
${menuOf(nav, here, up)}
</nav>
<main>
${body}</main>
${diagrams}</body>
</html>
`;
};
