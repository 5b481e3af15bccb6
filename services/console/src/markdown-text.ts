import MarkdownIt from 'markdown-it';

/**
 * What an agent wrote is untrusted: HTML in it stays text, images are not fetched from anywhere, and links that could run
 * something are left as text by the renderer.
 */
const renderer = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image');
renderer.renderer.rules['link_open'] = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'noreferrer noopener');
  return self.renderToken(tokens, index, options);
};
// Headings of a report lie below the page's own.
renderer.core.ruler.push('below', ({ tokens }) => {
  for (const token of tokens)
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`;
});

/** HTML of Markdown that may come from anybody. */
export const htmlOf = (text: string): string => renderer.render(text);
