import { useEffect, useRef } from 'react';

const help = [
  ['j, k', 'next, previous item of the page'],
  ['Enter', 'open the item that has the focus'],
  ['a', 'approve or grant what the item asks; of an approval, show first what would be sent'],
  ['d', 'deny what the item asks'],
  ['?', 'this list'],
] as const;

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-item]')];
const current = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>('[data-item]') ?? null;

const move = (by: 1 | -1): void => {
  const all = items();
  const here = current();
  const at = here === null ? -1 : all.indexOf(here);
  const next = at === -1 ? (by === 1 ? 0 : all.length - 1) : at + by;
  all[next]?.focus();
};

const press = (key: string): void => current()?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click();

/** Opens the item itself; Enter on a link or a button inside it is the browser's own. */
const open = (): boolean => {
  const here = document.activeElement;
  if (!(here instanceof HTMLElement) || !here.hasAttribute('data-item')) return false;
  here.querySelector<HTMLElement>('a[data-open], summary, a')?.click();
  return true;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;

export const Keys = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      switch (event.key) {
        case 'j':
          return move(1);
        case 'k':
          return move(-1);
        case 'a':
        case 'd':
          return press(event.key);
        case '?':
          return dialog.current?.showModal();
        case 'Enter':
          if (open()) event.preventDefault();
          return;
        default:
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl>
        {help.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
};
