import { useMemo } from 'react';
import { htmlOf } from './markdown-text';

export const Markdown = ({ text }: { readonly text: string }) => {
  const html = useMemo(() => htmlOf(text), [text]);
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
};
