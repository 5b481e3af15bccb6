import MarkdownIt from 'markdown-it';
import { useMemo } from 'react';

/**
 * What an agent wrote is untrusted: HTML in it stays text, images are not fetched from anywhere, and links that could run
 * something are left as text by the renderer.
 */
const renderer = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image');
const plain = renderer.renderer.rules['link_open'];
renderer.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
  tokens[index]?.attrSet('rel', 'noreferrer noopener');
  return plain === undefined ? self.renderToken(tokens, index, options) : plain(tokens, index, options, env, self);
};
// Headings of a report lie below the page's own.
renderer.core.ruler.push('below', ({ tokens }) => {
  for (const token of tokens)
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`;
});

export const Markdown = ({ text }: { readonly text: string }) => {
  const html = useMemo(() => renderer.render(text), [text]);
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
};
