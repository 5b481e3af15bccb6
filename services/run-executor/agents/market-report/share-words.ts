const email = "[A-Za-z0-9_.+'-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+";
const person = "(?:(?:the|my|our)\\s+)?(?:[A-Za-z][\\w'-]*)";
const laterPerson = "[A-Z][a-z][\\w'-]*";
const verb = '(?:share|send|mail|e-?mail|forward)';
const thing = '(?:\\s+(?:it|this|that|them|(?:the|a|your)\\s+(?:report|results?|summary|findings|comparison|copy)))?';

const clause = new RegExp(
  `\\b${verb}${thing}\\s+(?:with|to)\\s+((?:${email}|${person})(?:\\s*(?:,|\\band\\b|&)\\s*(?:${email}|${laterPerson}))*)`,
  'i',
);
const refusal = new RegExp(
  `\\b(?:do\\s+not|don['’]t|no\\s+need\\s+to|never|without|stop|not)\\s+(?:${verb}|sharing|sending|mailing|forwarding)\\b`,
  'i',
);
const anyVerb = new RegExp(`\\b${verb}\\b`, 'i');
const emails = new RegExp(email, 'g');

/** Nobody in particular, or the one who asks and gets the report anyway. */
const nobody = new Set(['me', 'us', 'myself', 'anyone', 'anybody', 'nobody', 'everyone', 'everybody', 'it', 'them']);

/** Dots inside addresses and numbers end no sentence. */
const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?;])\s+|\n/);

const recipientsOf = (sentence: string): string[] => {
  const addresses = sentence.match(emails) ?? [];
  const list = clause.exec(sentence)?.[1];
  if (list === undefined) return anyVerb.test(sentence) ? addresses : [];
  return list
    .split(/\s*(?:,|\band\b|&)\s*/)
    .map((name) => name.replace(/^(?:the|my|our)\s+/i, '').trim())
    .filter((name) => name !== '' && !nobody.has(name.toLowerCase()));
};

/** Whom a text wants the result shared with, given whom earlier texts did. */
export const readRecipients = (text: string, before: readonly string[]): readonly string[] => {
  let recipients = [...before];
  for (const sentence of sentencesOf(text)) {
    if (refusal.test(sentence)) recipients = [];
    else {
      const named = recipientsOf(sentence);
      const kept = named.length > 0 && /\b(?:instead|only)\b/i.test(sentence) ? [] : recipients;
      recipients = [...new Set([...kept, ...named])];
    }
  }
  return recipients;
};

/** The text without addresses and share clauses, so that `team@google.com` asks for no prices of Google. */
export const withoutRecipients = (text: string): string =>
  sentencesOf(text)
    .map((sentence) => sentence.replace(clause, ' ').replace(emails, ' '))
    .join('\n');
