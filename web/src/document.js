// The page's elements, and their words.

export const element = id => document.getElementById(id);

/** Only where it differs: those who listen to pages hear every change. */
export function write(where, text) {
  if (where.textContent !== text) where.textContent = text;
}
