const start =
  /^(?:[^\S\r\n\u2028\u2029]|[*_~`#><\-•·|"'‘’“”«»()[\]{}.,;:–—])*(?:reasoning|reason|rationale|explanation)[ *_~"'`)\]]*[:：][*_~`]*/imu

/**
 * The reasons in an answer: what follows the first line that begins with `Reasoning:` (or `Reason`, `Rationale`,
 * `Explanation`), else the whole text, else `otherwise`.
 */
export function reasoningOf(text: string, otherwise: string): string {
  const found = start.exec(text)
  const after = found === null ? '' : text.slice(found.index + found[0].length).trim()
  return after || text.trim() || otherwise
}
